import { describe, expect, it } from 'vitest'
import { botOn } from './bot.ts'
import { ACCEPTED, DUPLICATE, receiverOn } from './receiver.ts'
import { headersOf, MESSAGE, SECONDS, type SentHeaders, ULID } from './signing.ts'

const OTHER = Buffer.from('{"from":"255712345678","id":"msg_2","type":"text","text":"Kwaheri"}')

describe('a repeated delivery', () => {
  it('is acknowledged every time and stored once, if it is unchanged [R DEL-01, F-23]', async () => {
    const service = receiverOn()
    const answers = []
    for (let time = 0; time < 4; time++) answers.push(await service.post(MESSAGE, headersOf(MESSAGE)))
    expect(answers).toMatchObject([ACCEPTED, DUPLICATE, DUPLICATE, DUPLICATE])
    expect(await service.states()).toEqual({ stored: 1 })
  })

  const signature = headersOf(MESSAGE)['x-service-signature'] ?? ''
  const upper = { 'x-service-signature': `sha256=${signature.slice(7).toUpperCase()}` }
  it.each<[string, SentHeaders, object]>([
    [
      'the service signed it again with a fresh timestamp [R DEL-01, F-27]',
      headersOf(MESSAGE, { timestamp: SECONDS + 200 }),
      {},
    ],
    ['only the case of its signature changed [R DEL-01, F-6]', upper, {}],
    [
      'only the case of its signature and its id changed [R DEL-01, F-6]',
      { ...upper, 'x-service-delivery': '01HZY3F8Q2V6J9K4M7N0P5R8TC' },
      { suspected_replay: 1 },
    ],
    ['its ULID is written in another case [R DEL-01, F-31]', headersOf(MESSAGE, { delivery: ULID.toLowerCase() }), {}],
  ])('is the same if %s', async (_, changed, more) => {
    const service = receiverOn()
    expect(await service.post(MESSAGE, headersOf(MESSAGE))).toMatchObject(ACCEPTED)
    expect(await service.post(MESSAGE, { ...headersOf(MESSAGE), ...changed })).toMatchObject(DUPLICATE)
    expect(await service.states()).toEqual({ stored: 1, ...more })
  })

  it('differs if its id is not a ULID and the case differs [R DEL-01, F-31]', async () => {
    const service = receiverOn()
    expect(await service.post(MESSAGE, headersOf(MESSAGE, { delivery: 'evt_a' }))).toMatchObject(ACCEPTED)
    expect(await service.post(OTHER, headersOf(OTHER, { delivery: 'EVT_A' }))).toMatchObject(ACCEPTED)
    expect(await service.states()).toEqual({ stored: 2 })
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

  it('may be false in the copy that arrives first: then the genuine delivery is reported, and waits for a person [R SIG-07, F-24]', async () => {
    const service = receiverOn()
    expect(await service.post(MESSAGE, headersOf(MESSAGE, { event: 'order.paid', delivery: 'false' }))).toMatchObject(
      ACCEPTED,
    )
    expect(await service.post(MESSAGE, headersOf(MESSAGE))).toMatchObject(DUPLICATE)
    expect(await service.states()).toEqual({ stored: 1, suspected_replay: 1 })
    expect(service.warnings()).toMatchObject([{ message: expect.stringContaining('`switchhook inbox retry ID`') }])
  })

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

it('the handler of a delivery runs once, however the delivery is repeated [R DEL-01 SIG-07, F-23, F-24]', async () => {
  const ran: string[] = []
  const { bot, post, until } = botOn()
  bot.otherwise((ctx) => {
    ran.push(ctx.message.text ?? '')
  })
  await bot.start()
  await post()
  await post()
  await post(MESSAGE, headersOf(MESSAGE, { delivery: 'replayed' }))
  await post(MESSAGE, headersOf(MESSAGE, { timestamp: SECONDS + 1 }))
  await until('items', 'done', 1)
  await post()
  await post(MESSAGE, headersOf(MESSAGE, { delivery: 'replayed later' }))
  await post(OTHER, headersOf(OTHER, { delivery: 'another' }))
  await until('items', 'done', 2)
  expect(ran).toEqual(['Habari', 'Kwaheri'])
})
