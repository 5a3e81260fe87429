import { join } from 'node:path'
import { createEmulator } from 'switchhook/emulator'
import { expect, it } from 'vitest'
import { jsonLines, startSwitchhook, switchhook } from '../kit/cli/support.ts'
import { createPoster, messageFrom } from '../../tools/torture/post.ts'
import { openHarness, SECRET } from '../../tools/torture/processes.ts'
import { replyTo } from '../../tools/torture/run.ts'

const CUSTOMERS = Array.from({ length: 8 }, (_, n) => `25571200010${n}`)
const NEWCOMER = '255712000199'
const BEFORE = 60

it('a backup beside two working processes has everything acknowledged before it began, and a bot over it holds its sends [F-65]', async () => {
  await using harness = openHarness()
  await using emulator = await createEmulator()
  const { database } = harness
  const backup = join(harness.folder, 'backup.db')
  const poster = createPoster(SECRET)
  const repliesTo = async (customer: string) => {
    const thread = await emulator.customer(customer).thread()
    return thread.filter(({ direction, refused }) => direction === 'OUTBOUND' && !refused).map(({ text }) => text)
  }
  try {
    for (const customer of [...CUSTOMERS, NEWCOMER]) await emulator.customer(customer).says('hello')
    await emulator.faults.set([{ on: 'send', do: 'cut_before' }])
    const processes = [await harness.launch({ emulator }), await harness.launch({ emulator })]
    const acknowledged: string[] = []
    let goesOn = true
    const posting = processes.map(async ({ url }, at) => {
      for (let n = 0; goesOn; n++) {
        const text = `${at} ${n}`
        const outcome = await poster.post(url, messageFrom(CUSTOMERS[n % CUSTOMERS.length] as string, text))
        if ('status' in outcome && outcome.status === 200) acknowledged.push(replyTo(text))
      }
    })
    await expect.poll(() => acknowledged.length).toBeGreaterThan(BEFORE)
    const before = [...acknowledged]
    await using backingUp = startSwitchhook(['backup', backup, '--database', database])
    expect(await backingUp.ended).toMatchObject({ code: 0 })
    expect(acknowledged.length).toBeGreaterThan(before.length)
    goesOn = false
    await Promise.all(posting)
    for (const process of processes) await process.end('SIGKILL')
    await emulator.faults.set([])

    const restored = await harness.launch({ emulator, environment: { SWITCHHOOK_DATABASE: backup } })
    await poster.post(restored.url, messageFrom(NEWCOMER, 'new'))
    await expect.poll(() => repliesTo(NEWCOMER)).toEqual([replyTo('new')])
    const held = await switchhook(['outbox', 'ls', '--state', 'held', '--json', '--database', backup])
    expect(jsonLines(held.stdout).length).toBeGreaterThan(0)
    const replies = async () => (await Promise.all(CUSTOMERS.map(repliesTo))).flat()
    expect(await replies()).toEqual([])

    await switchhook(['outbox', 'resume', '--database', backup])
    await expect.poll(replies).toEqual(expect.arrayContaining(before))
    const arrived = await replies()
    expect(new Set(arrived).size).toBe(arrived.length)
  } finally {
    poster.close()
  }
})
