import { expect, it, onTestFinished } from 'vitest'
import { assemble } from '../../../src/bot/bot.ts'
import { signDelivery } from '../../../src/bot/switchhook.ts'
import { internalsOf } from '../../../src/bot/in/bot-internals.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'

const MESSAGES = 3_997
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
    from: `${255_600_000_000 + i}`,
    text: `batch ${i}`,
    timestamp: at,
  })),
  ...['third', 'first', 'second'].map((text, i) => ({ from: ASHA, text, timestamp: at + ((i + 2) % 3) })),
])

async function botWithMemory() {
  const store = openSqlite(':memory:')
  const bot = assemble(
    { signingSecret: 'one', database: ':memory:', logger: false },
    { environment: {}, open: () => store },
  )
  const heard: { customer: string; text: string | undefined }[] = []
  bot.otherwise(async (ctx) => void heard.push({ customer: ctx.customer, text: ctx.message.text }))
  await bot.start()
  onTestFinished(() => bot.stop())
  let posts = 0
  return {
    heard,
    store,
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

it('a delivery of 4,000 messages is handled whole, each customer’s messages by their times and before the next delivery’s [R DEL-03, F-106]', async () => {
  const { post, heard } = await botWithMemory()
  expect(await post(BATCH)).toBe(200)
  await post(bodyOf([{ from: ASHA, text: 'fourth', timestamp: at + 4 }]))
  await expect.poll(() => heard.length, { interval: 100, timeout: 20_000 }).toBe(MESSAGES + 4)
  expect(new Set(heard.map(({ text }) => text)).size).toBe(heard.length)
  const fromAsha = heard.filter(({ customer }) => customer === ASHA).map(({ text }) => text)
  expect(fromAsha).toEqual(['first', 'second', 'third', 'fourth'])
})

it('a delivery of more messages is acknowledged, kept for a person and not handled [F-106]', async () => {
  const { post, heard, store } = await botWithMemory()
  const many = Array.from({ length: 4_001 }, (_, i) => ({
    from: `${255_600_000_000 + i}`,
    text: `${i}`,
    timestamp: at,
  }))
  expect(await post(bodyOf(many))).toBe(200)
  await post(bodyOf([{ from: ASHA, text: 'alone', timestamp: at }]))
  await expect.poll(() => heard.map(({ text }) => text)).toEqual(['alone'])
  const { deliveries } = await store.listDeliveries({ limit: 9, states: ['quarantined'] })
  expect(deliveries).toMatchObject([{ note: 'batch_too_large' }])
})
