import { expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { botOn } from '../in/bot.ts'
import { headersOf, SECONDS } from '../in/signing.ts'

const ASHA = '255712000101'

interface Message {
  readonly from: string
  readonly text: string
  readonly timestamp: number
}

const bodyOf = (list: readonly Message[]) =>
  Buffer.from(
    JSON.stringify({ event: 'message.received', data: { messages: list.map((one) => ({ id: one.text, ...one })) } }),
  )

const many = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ from: `${255_600_000_000 + i}`, text: `batch ${i}`, timestamp: SECONDS }))

async function botWithMemory() {
  const store = openSqlite(':memory:')
  onTestFinished(() => store.close())
  const { bot, post } = botOn({ overrides: { open: () => ({ ...store, close: async () => {} }) } })
  const heard: { customer: string; text: string | undefined }[] = []
  bot.otherwise(async (ctx) => void heard.push({ customer: ctx.customer, text: ctx.message.text }))
  await bot.start()
  const deliver = (body: Buffer, delivery: string) => post(body, headersOf(body, { delivery }))
  return { heard, store, deliver }
}

it('a delivery of 4,000 messages is handled whole, each customer’s messages by their times and before the next delivery’s [R DEL-03, F-106]', async () => {
  const { deliver, heard } = await botWithMemory()
  // Many customers, and Asha last: she wrote three times.
  const three = ['third', 'first', 'second'].map((text, i) => ({
    from: ASHA,
    text,
    timestamp: SECONDS + ((i + 2) % 3),
  }))
  expect(await deliver(bodyOf([...many(3_997), ...three]), 'd1')).toMatchObject({ status: 200 })
  await deliver(bodyOf([{ from: ASHA, text: 'fourth', timestamp: SECONDS + 4 }]), 'd2')
  await expect.poll(() => heard.length, { interval: 100, timeout: 20_000 }).toBe(4_001)
  expect(new Set(heard.map(({ text }) => text)).size).toBe(heard.length)
  const fromAsha = heard.filter(({ customer }) => customer === ASHA).map(({ text }) => text)
  expect(fromAsha).toEqual(['first', 'second', 'third', 'fourth'])
})

it('a delivery of more messages is acknowledged, kept for a person and not handled [F-106]', async () => {
  const { deliver, heard, store } = await botWithMemory()
  expect(await deliver(bodyOf(many(4_001)), 'd1')).toMatchObject({ status: 200 })
  await deliver(bodyOf([{ from: ASHA, text: 'alone', timestamp: SECONDS }]), 'd2')
  await expect.poll(() => heard.map(({ text }) => text)).toEqual(['alone'])
  const { deliveries } = await store.listDeliveries({ limit: 9, states: ['quarantined'] })
  expect(deliveries).toMatchObject([{ note: 'batch_too_large' }])
})
