import { once } from 'node:events'
import { expect } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { ASHA } from '../support/people.ts'
import { openBots } from './bots.ts'
import type { Told } from './traced-bot.ts'

/** Has one process receive a message and another one handle and answer it, and expects one trace of both. */
export async function expectOneTrace(): Promise<void> {
  await using bots = await openBots('traced-bot.ts')
  const launch = async (role: 'receive' | 'work', port: number) => {
    const spans: Told[] = []
    const bot = bots.launch([port], { SWITCHHOOK_ROLE: role })
    await once(bot, 'message')
    bot.on('message', (span: Told) => void spans.push(span))
    return (name: string) => spans.find((span) => span.name === name)
  }
  const received = await launch('receive', bots.port)
  const worked = await launch('work', await freePort())
  await bots.emulator.customer(ASHA).says('hi')
  await expect.poll(() => worked('attempt message.received')).toBeDefined()
  const [receive, attempt, send] = [
    received('receive message.received'),
    worked('attempt message.received'),
    worked('send default'),
  ]
  expect([attempt?.parent, send?.parent]).toEqual([receive?.id, attempt?.id])
  expect(new Set([receive, attempt, send].map((span) => span?.trace)).size).toBe(1)
  // The test would be none if one of them had done it all.
  expect([received('attempt message.received'), worked('receive message.received')]).toEqual([undefined, undefined])
}
