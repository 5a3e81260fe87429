import { expect, it } from 'vitest'
import { signDelivery } from '../../src/bot/switchhook.ts'
import { countsOf } from '../support/counts-of.ts'
import { openHarness, SECRET } from '../../tools/torture/processes.ts'

const MESSAGES = 4_000
const CUSTOMERS = 400

it('a process killed with SIGKILL between the answer to a batch and its ingest: each message is handled once after the restart, each customer’s in their order [R DEL-02, R DEL-03, F-106]', async () => {
  await using harness = openHarness()
  const first = await harness.launch({ haltAt: 'answered' })
  expect(await post(first.url)).toBe(200)
  await first.reported((report) => report.kind === 'at' && report.point === 'answered')
  await first.end('SIGKILL')
  expect(await items()).toEqual({})

  await harness.launch()
  await expect.poll(items, { interval: 200 }).toEqual({ done: MESSAGES })
  const started = harness.notes().filter(({ what }) => what === 'start')
  expect(started.map(({ attempt }) => attempt)).toEqual(Array.from({ length: MESSAGES }, () => 1))
  const byCustomer = Map.groupBy(started, ({ customer }) => customer)
  expect(byCustomer.size).toBe(CUSTOMERS)
  const inOrder = Array.from({ length: MESSAGES / CUSTOMERS }, (_, i) => `${i}`)
  for (const notes of byCustomer.values()) expect(notes.map(({ text }) => text)).toEqual(inOrder)

  async function items(): Promise<Readonly<Record<string, number>>> {
    return (await countsOf(harness.database)).items
  }
})

/** Posts the batch: the messages of each customer stand in it with the latest first. */
async function post(url: string): Promise<number> {
  const now = Math.floor(Date.now() / 1000)
  const messages = Array.from({ length: MESSAGES }, (_, i) => {
    const nth = MESSAGES / CUSTOMERS - 1 - Math.floor(i / CUSTOMERS)
    return { id: `m${i}`, from: `${255_700_000_000 + (i % CUSTOMERS)}`, text: `${nth}`, timestamp: now - 60 + nth }
  })
  const body = JSON.stringify({ event: 'message.received', data: { messages } })
  const about = { event: 'message.received', deliveryId: '01JBATCH000000000000000001' }
  const headers = signDelivery({ body, secret: SECRET, at: new Date(), ...about })
  const answer = await fetch(url, { method: 'POST', headers, body })
  return answer.status
}
