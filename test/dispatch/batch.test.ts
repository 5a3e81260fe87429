import { expect, it, onTestFinished } from 'vitest'
import { assemble } from '../../src/app/bot.ts'
import { inSlices } from '../../src/base/clock.ts'
import { signDelivery } from '../../src/index.ts'
import { ingestDelivery, type IngestedDelivery, ingestionOf } from '../../src/ingest/ingest.ts'
import { internalsOf } from '../../src/receive/bot-internals.ts'
import type { Store } from '../../src/stores/port/index.ts'
import { openSqlite } from '../../src/stores/sqlite/index.ts'
import { delivery } from '../stores/samples.ts'

const MESSAGES = 1_500
const ASHA = '255712000101'
const at = Date.UTC(2026, 2, 4, 9) / 1000

interface Message {
  readonly from: string
  readonly text: string
  readonly timestamp: number
}

const bodyOf = (list: readonly Message[]) =>
  Buffer.from(
    JSON.stringify({ event: 'message.received', data: { messages: list.map((one) => ({ id: one.text, ...one })) } }),
  )

/** Many customers, and Asha last: she wrote three times. */
const BATCH = bodyOf([
  ...Array.from({ length: MESSAGES }, (_, i) => ({
    from: `${255_700_000_000 + i}`,
    text: `batch ${i}`,
    timestamp: at,
  })),
  ...['third', 'first', 'second'].map((text, i) => ({ from: ASHA, text, timestamp: at + ((i + 2) % 3) })),
])

/** A bot whose store waits with the ingest of a large delivery until it is let go. */
async function botWithBatch() {
  const store = openSqlite(':memory:')
  onTestFinished(() => store.close())
  const released = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const reads: number[] = []
  const held: Store = {
    ...store,
    close: async () => {},
    async pending(...asked) {
      const found = await store.pending(...asked)
      for (const { body, seq } of found) if (body.length > 65_536) reads.push(seq)
      return found
    },
    async ingest(...given) {
      if (given[1].items.length > MESSAGES) {
        begun.resolve()
        await released.promise
      }
      return store.ingest(...given)
    },
  }
  const bot = assemble(
    { signingSecret: 'one', database: ':memory:', logger: false },
    { environment: {}, open: () => held },
  )
  const heard: { customer: string; text: string | undefined }[] = []
  bot.otherwise(async (ctx) => void heard.push({ customer: ctx.customer, text: ctx.message.text }))
  await bot.start()
  onTestFinished(() => bot.stop())
  let posts = 0
  return {
    heard,
    reads,
    begun: begun.promise,
    letGo: released.resolve,
    async post(body: Buffer) {
      const about = { event: 'message.received', deliveryId: `01JBATCH00000000000000${1_000 + ++posts}` }
      const headers = signDelivery({ body, secret: 'one', at: new Date(), ...about })
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      const answer = await internalsOf(bot).receive({
        method: 'POST',
        headers: lower,
        readBody: async () => ({ bytes: body }),
      })
      return answer.status
    },
  }
}

it('while a batch is ingested, a hundred others are answered and handled, and its body is read once [F-106]', async () => {
  const { post, heard, reads, begun, letGo } = await botWithBatch()
  expect(await post(BATCH)).toBe(200)
  await begun
  for (let i = 0; i < 100; i++)
    expect(await post(bodyOf([{ from: `${255_800_000_000 + i}`, text: `alone ${i}`, timestamp: at }]))).toBe(200)
  await expect.poll(() => heard.length).toBe(100)
  expect(reads).toHaveLength(1)
  letGo()
  await expect.poll(() => heard.length, { interval: 100 }).toBe(MESSAGES + 103)
  expect(new Set(heard.map(({ text }) => text)).size).toBe(heard.length)
})

it('a customer’s next message does not go before those of theirs that are still in a batch [R DEL-03, F-106]', async () => {
  const { post, heard, begun, letGo } = await botWithBatch()
  await post(BATCH)
  await begun
  await post(bodyOf([{ from: ASHA, text: 'fourth', timestamp: at + 4 }]))
  await post(bodyOf([{ from: '255800000000', text: 'alone', timestamp: at }]))
  await expect.poll(() => heard.map(({ text }) => text)).toEqual(['alone'])
  letGo()
  const fromAsha = () => heard.filter(({ customer }) => customer === ASHA).map(({ text }) => text)
  await expect.poll(() => fromAsha().length, { interval: 100 }).toBe(4)
  expect(fromAsha()).toEqual(['first', 'second', 'third', 'fourth'])
})

it('a batch is read in as many steps as it has messages, with the same result as at once [F-106]', () => {
  const rules = { numbersOf: () => [{ name: 'shop', phoneNumberId: undefined }], listens: () => true }
  const stored = { ...delivery({ body: BATCH }), deliveryId: 'd', event: 'message.received' }
  const steps = ingestionOf(stored, rules)
  let count = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) count++
  expect(count).toBeGreaterThan(2 * MESSAGES)
  const withShape = (read: IngestedDelivery) => ({
    ...read,
    reading: { ...read.reading, shape: read.reading?.shape() },
  })
  expect(withShape(step.value)).toEqual(withShape(ingestDelivery(stored, rules)))
})

it('long work in slices lets the event loop run between them [F-106]', async () => {
  const until = performance.now() + 200
  let turns = 0
  const turn = () => {
    turns++
    if (performance.now() < until) setImmediate(turn)
  }
  setImmediate(turn)
  const work = function* (): Generator<void, number> {
    let steps = 0
    while (performance.now() < until && turns < 5) {
      steps++
      yield
    }
    return steps
  }
  expect(await inSlices(work())).toBeGreaterThan(0)
  expect(turns).toBeGreaterThan(0)
})
