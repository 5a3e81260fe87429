import { describe, expect, it } from 'vitest'
import { botOn } from './bot.ts'
import { internalsOf } from '../../../src/bot/in/bot-internals.ts'
import { ACCEPTED, DUPLICATE, receiverOn } from './receiver.ts'
import { headersOf, MESSAGE, NOW, SECONDS, type SentHeaders, ULID } from './signing.ts'

const OTHER = Buffer.from('{"from":"255712345678","id":"msg_2","type":"text","text":"Kwaheri"}')

describe('a repeated delivery', () => {
  it('is acknowledged every time and stored once, if it is unchanged [R DEL-01, F-23]', async () => {
    const service = receiverOn()
    const answers = []
    for (let time = 0; time < 4; time++) answers.push(await service.post(MESSAGE, headersOf(MESSAGE)))
    expect(answers).toMatchObject([ACCEPTED, DUPLICATE, DUPLICATE, DUPLICATE])
    expect(await service.states()).toEqual({ stored: 1 })
  })

  it('is the same if the service signed it again with a fresh timestamp [R DEL-01, F-27]', async () => {
    const service = receiverOn()
    expect(await service.post(MESSAGE, headersOf(MESSAGE))).toMatchObject(ACCEPTED)
    service.time.now = NOW + 3_600_000
    const again = headersOf(MESSAGE, { timestamp: SECONDS + 3600 })
    expect(await service.post(MESSAGE, again)).toMatchObject(DUPLICATE)
    expect(await service.states()).toEqual({ stored: 1 })
  })

  it('is the same if only the case of its signature changed [R DEL-01, F-6]', async () => {
    const service = receiverOn()
    const headers = headersOf(MESSAGE)
    expect(await service.post(MESSAGE, headers)).toMatchObject(ACCEPTED)
    const upper = (headers['x-service-signature'] ?? '').slice(7).toUpperCase()
    const changed = { ...headers, 'x-service-signature': `sha256=${upper}` }
    expect(await service.post(MESSAGE, changed)).toMatchObject(DUPLICATE)
    const elsewhere = { ...changed, 'x-service-delivery': '01HZY3F8Q2V6J9K4M7N0P5R8TC' }
    expect(await service.post(MESSAGE, elsewhere)).toMatchObject(DUPLICATE)
    expect(await service.states()).toEqual({ stored: 1, suspected_replay: 1 })
  })

  it('is the same if its ULID is written in another case [R DEL-01, F-31]', async () => {
    const service = receiverOn()
    expect(await service.post(MESSAGE, headersOf(MESSAGE))).toMatchObject(ACCEPTED)
    const other = headersOf(MESSAGE, { delivery: ULID.toLowerCase() })
    expect(await service.post(MESSAGE, other)).toMatchObject(DUPLICATE)
    expect(await service.states()).toEqual({ stored: 1 })
  })

  it('differs if its id is not a ULID and the case differs [R DEL-01, F-31]', async () => {
    const service = receiverOn()
    expect(await service.post(MESSAGE, headersOf(MESSAGE, { delivery: 'evt_a' }))).toMatchObject(ACCEPTED)
    expect(await service.post(OTHER, headersOf(OTHER, { delivery: 'EVT_A' }))).toMatchObject(ACCEPTED)
    expect(await service.states()).toEqual({ stored: 2 })
  })

  it('is one row if many copies arrive at once [R DEL-01]', async () => {
    const service = receiverOn()
    const answers = await Promise.all(Array.from({ length: 128 }, () => service.post(MESSAGE, headersOf(MESSAGE))))
    expect(answers.filter(({ body }) => body === ACCEPTED.body)).toHaveLength(1)
    expect(answers.filter(({ body }) => body === DUPLICATE.body)).toHaveLength(127)
    expect(await service.states()).toEqual({ stored: 1 })
  })
})

describe('a header that the signature does not cover', () => {
  it.each<[string, SentHeaders]>([
    ['another delivery id', { 'x-service-delivery': '01HZY3F8Q2V6J9K4M7N0P5R8TC' }],
    ['another event', { 'x-service-event': 'order.paid' }],
    ['no delivery id', { 'x-service-delivery': undefined }],
  ])(
    'is changed in a captured delivery with %s, which is acknowledged, kept and never dispatched [R SIG-07, F-24]',
    async (_, changed) => {
      const service = receiverOn()
      expect(await service.post(MESSAGE, headersOf(MESSAGE))).toMatchObject(ACCEPTED)
      const replay = { ...headersOf(MESSAGE), ...changed }
      for (let time = 0; time < 3; time++) expect(await service.post(MESSAGE, replay)).toMatchObject(DUPLICATE)
      expect(await service.states()).toEqual({ stored: 1, suspected_replay: 1 })
      expect(service.warnings()).toMatchObject([{ message: expect.stringContaining('`switchhook inbox retry ID`') }])
    },
  )

  it('gives a replay one row for each event name, however many ids are tried [R SIG-07, F-24]', async () => {
    const service = receiverOn()
    await service.post(MESSAGE, headersOf(MESSAGE))
    for (let id = 0; id < 20; id++)
      for (const event of ['message.received', 'order.paid'])
        expect(await service.post(MESSAGE, headersOf(MESSAGE, { event, delivery: `evil-${id}` }))).toMatchObject(
          DUPLICATE,
        )
    expect(await service.states()).toEqual({ stored: 1, suspected_replay: 2 })
  })

  it('cannot suppress another event by a used id: that is a conflict, and kept [R SIG-07, F-26]', async () => {
    const service = receiverOn()
    expect(await service.post(MESSAGE, headersOf(MESSAGE))).toMatchObject(ACCEPTED)
    expect(await service.post(OTHER, headersOf(OTHER))).toMatchObject(ACCEPTED)
    expect(await service.states()).toEqual({ stored: 1, conflict: 1 })
  })

  it('cannot suppress the genuine delivery if it was missing in a captured one that arrived first [R SIG-09, F-24]', async () => {
    const service = receiverOn()
    const bare = { ...headersOf(MESSAGE), 'x-service-event': undefined, 'x-service-delivery': undefined }
    expect(await service.post(MESSAGE, bare)).toMatchObject(ACCEPTED)
    expect(await service.post(MESSAGE, headersOf(MESSAGE))).toMatchObject(ACCEPTED)
    expect(await service.states()).toEqual({ quarantined: 1, stored: 1 })
  })
})

describe('the handler of a delivery', () => {
  it('runs once, however the delivery is repeated [R DEL-01 SIG-07, F-23, F-24]', async () => {
    const ran: string[] = []
    const { bot, until } = botOn()
    bot.otherwise((ctx) => {
      ran.push(ctx.message.text ?? '')
    })
    await bot.start()
    const post = (body: Buffer, headers: SentHeaders) =>
      internalsOf(bot).receive({ method: 'POST', headers, readBody: async () => ({ bytes: body }) })

    await post(MESSAGE, headersOf(MESSAGE))
    await post(MESSAGE, headersOf(MESSAGE))
    await post(MESSAGE, headersOf(MESSAGE, { delivery: 'replayed' }))
    await post(MESSAGE, headersOf(MESSAGE, { timestamp: SECONDS + 1 }))
    await until('items', 'done', 1)
    await post(MESSAGE, headersOf(MESSAGE))
    await post(MESSAGE, headersOf(MESSAGE, { delivery: 'replayed later' }))
    await post(OTHER, headersOf(OTHER, { delivery: 'another' }))
    await until('items', 'done', 2)
    expect(ran).toEqual(['Habari', 'Kwaheri'])
  })
})
