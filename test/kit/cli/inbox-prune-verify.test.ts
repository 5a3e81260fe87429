import express from 'express'
import { expect, it } from 'vitest'
import { GiveUp } from 'switchhook'
import { webhook } from 'switchhook/express'
import { assemble } from '../../../src/bot/bot.ts'
import { verifyReceiver } from '../../../src/kit/verify/run.ts'
import { listenOn } from '../../bot/inbox/adapters/http.ts'
import { PATIENT, SECRET } from '../verify/receiver.ts'
import { alone, DEAD, inboxFolder, PARKED } from './inbox-support.ts'
import { jsonLines } from './support.ts'

const { inbox, came, handled, states, file } = inboxFolder()

/** Deliveries as a bot keeps them whose handlers fail for good: nothing is left out that waits for a person. */
async function verified(): Promise<void> {
  const bot = assemble({ signingSecret: SECRET, database: file(), logger: false }, { environment: {} })
  bot.otherwise(() => {
    throw new GiveUp('no price')
  })
  await bot.start()
  const { url } = await listenOn(express().use(webhook(bot)))
  const only = new Set(['captured', 'conflict', 'delivery-unclear', 'not-json'])
  await verifyReceiver({ url: new URL(url), secret: SECRET, only, timers: PATIENT })
  await expect.poll(async () => (await states()).items).not.toHaveProperty('stored')
  await bot.stop()
}

it('--verify: removes all deliveries of the matrix, and no message of a customer that waits for a person', async () => {
  const dead = await came([alone()])
  await handled(DEAD)
  const parked = await came([alone(PARKED)])
  await verified()
  const waiting = await inbox('ls', '--limit', '1')
  for (const state of ['dead', 'parked', 'quarantined', 'conflict', 'suspected_replay'])
    expect(waiting.stderr).toMatch(new RegExp(`^Waiting for a person: .*\\d ${state}`))

  const pruned = await inbox('prune', '--verify')
  expect(pruned).toEqual({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/^\d+ deliveries of verify removed\.\n$/),
  })
  const left = jsonLines((await inbox('ls', '--all', '--json')).stdout)
  expect(left[0]).toMatchObject({ dead: 1, parked: 1, quarantined: 0, conflict: 0, suspected_replay: 0 })
  expect(left.slice(1).map(({ seq }) => seq)).toEqual([parked, dead])
})
