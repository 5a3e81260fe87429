import { describe, expect, it } from 'vitest'
import { botOn } from './bot.ts'
import { ACCEPTED, receiverOn } from './receiver.ts'
import { headersOf, MESSAGE, SECONDS } from './signing.ts'

/** A started bot that handles messages. */
async function service() {
  const ran: string[] = []
  const on = botOn()
  on.bot.otherwise((ctx) => {
    ran.push(ctx.message.text ?? ctx.message.kind)
  })
  await on.bot.start()
  return { ...on, ran }
}

describe('a signed delivery that cannot be read', () => {
  const BODIES: [string, Buffer][] = [
    ['an empty body', Buffer.alloc(0)],
    ['null', Buffer.from('null')],
    ['no JSON', Buffer.from('from=255712345678')],
    ['a NUL behind it', Buffer.concat([MESSAGE, Buffer.from([0])])],
    ['bytes that are no text', Buffer.from('{"id":"\xff\xfe"}', 'latin1')],
    ['a bomb of brackets', Buffer.from('['.repeat(200_000))],
  ]

  it.each(BODIES)('is acknowledged, kept and reported: %s [R SIG-09 DEL-06, F-11, F-40]', async (_, body) => {
    const { post, until, ran, warnings } = await service()
    expect(await post(body)).toMatchObject(ACCEPTED)
    await until('deliveries', 'quarantined', 1)
    expect(ran).toEqual([])
    await expect
      .poll(warnings)
      .toContainEqual(expect.objectContaining({ message: expect.stringContaining('quarantined') }))
  })

  it('has byte order mark, CRLF and final line break as part of its bytes, which cause no error [R SIG-02, F-11]', async () => {
    const { post, until, ran } = await service()
    await post(Buffer.from(`\uFEFF${MESSAGE.toString().replaceAll(',', ',\r\n')}\r\n`))
    await until('items', 'done', 1)
    expect(ran).toEqual(['Habari'])
  })
})

it.each([
  ['a UUID', '3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
  ['SQL without a space', "';DROP/**/TABLE/**/deliveries;--"],
])('a delivery id is not refused because it is not a ULID: %s [R SIG-09, F-30]', async (_, delivery) => {
  const { post, until, ran, counts } = await service()
  expect(await post(MESSAGE, headersOf(MESSAGE, { delivery }))).toMatchObject(ACCEPTED)
  await until('items', 'done', 1)
  expect(ran).toEqual(['Habari'])
  expect((await counts()).deliveries).toEqual({ stored: 1 })
})

describe('an event', () => {
  it.each(['payment.refunded', 'constructor'])(
    'with an unknown name is acknowledged and ignored, without an error: %s [R DEL-05, F-29]',
    async (event) => {
      const { post, until, ran, warnings } = await service()
      expect(await post(MESSAGE, headersOf(MESSAGE, { event }))).toMatchObject(ACCEPTED)
      await until('deliveries', 'ignored', 1)
      expect(ran).toEqual([])
      expect(warnings()).toEqual([])
    },
  )

  it('with keys of prototypes pollutes nothing, and is handled [R GEN-10, F-41]', async () => {
    const { post, until, ran } = await service()
    const body = `{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},${MESSAGE.toString().slice(1)}`
    await post(Buffer.from(body))
    await until('items', 'done', 1)
    expect(ran).toEqual(['Habari'])
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })
})

it.each([
  ['3600000', true, 3_600_000],
  ['-3600000', true, -3_600_000],
  ['1e300', true, 0],
  ['5, 5', true, 0],
  // It is not signed, and would open a closed window.
  ['3600000', false, 0],
])(
  'the header of the emulator is stored with the delivery if it is an offset and the other side an emulator: %s, %s [R SIG-09]',
  async (offset, local, clockOffset) => {
    const direct = receiverOn({ local })
    await direct.post(MESSAGE, { ...headersOf(MESSAGE), 'x-emulator-clock-offset': offset })
    expect(await direct.store.unread(1)).toMatchObject([{ clockOffset, timestamp: SECONDS }])
  },
)
