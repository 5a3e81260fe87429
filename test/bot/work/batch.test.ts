import { expect, it } from 'vitest'
import { botOn } from '../inbox/bot.ts'
import { headersOf, SECONDS } from '../inbox/signing.ts'

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

it('a delivery whose messages take several commits is handled whole, each customer’s messages by their times and before the next delivery’s [R DEL-03, F-106]', async () => {
  const { bot, post } = botOn()
  const heard: { customer: string; text: string | undefined }[] = []
  bot.otherwise(async (ctx) => void heard.push({ customer: ctx.customer, text: ctx.message.text }))
  await bot.start()
  const deliver = (body: Buffer, delivery: string) => post(body, headersOf(body, { delivery }))
  // Many customers, and Asha last: she wrote three times.
  const three = ['third', 'first', 'second'].map((text, i) => ({
    from: ASHA,
    text,
    timestamp: SECONDS + ((i + 2) % 3),
  }))
  expect(await deliver(bodyOf([...many(597), ...three]), 'd1')).toMatchObject({ status: 200 })
  await deliver(bodyOf([{ from: ASHA, text: 'fourth', timestamp: SECONDS + 4 }]), 'd2')
  await expect.poll(() => heard.length, { interval: 100, timeout: 20_000 }).toBe(601)
  expect(new Set(heard.map(({ text }) => text)).size).toBe(heard.length)
  const fromAsha = heard.filter(({ customer }) => customer === ASHA).map(({ text }) => text)
  expect(fromAsha).toEqual(['first', 'second', 'third', 'fourth'])
})

it.each([
  ['read before the answer', 0],
  ['read after it', 70_000],
])(
  'while a delivery of one number takes several commits, messages of another are handled, %s [R DEL-03, F-55]',
  async (_, blanks) => {
    const gate = Promise.withResolvers<void>()
    const heard = { a: 0, b: 0 }
    const { bot, post } = botOn({
      options: { numbers: { a: { signingSecret: 'whsec_a' }, b: { signingSecret: 'whsec_b' } } },
      around: (store) => ({
        ...store,
        async ingest(...given) {
          if (given[1].items[0]?.number === 'a') await gate.promise
          return store.ingest(...given)
        },
      }),
    })
    bot.otherwise((ctx) => void heard[ctx.number as 'a' | 'b']++)
    await bot.start()
    const deliver = (body: Buffer, secret: string, delivery: string) =>
      post(body, headersOf(body, { secret, delivery }))
    await deliver(bodyOf(many(300)), 'whsec_a', 'large')
    const small = Buffer.concat([bodyOf(many(1)), Buffer.alloc(blanks, ' ')])
    await deliver(small, 'whsec_b', 'first')
    await expect.poll(() => heard, { interval: 10, timeout: 20_000 }).toEqual({ a: 0, b: 1 })
    // Behind it, and by a claim.
    const ofOne = Array.from({ length: 20 }, (_n, nth) => ({ from: ASHA, text: `${nth}`, timestamp: SECONDS }))
    await deliver(Buffer.concat([bodyOf(ofOne), Buffer.alloc(blanks, ' ')]), 'whsec_b', 'second')
    await expect.poll(() => heard, { interval: 10, timeout: 20_000 }).toEqual({ a: 0, b: 21 })
    gate.resolve()
    await expect.poll(() => heard, { interval: 10, timeout: 20_000 }).toEqual({ a: 300, b: 21 })
  },
)
