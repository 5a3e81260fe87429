import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { assemble, type Bot, type Sender } from '../../src/bot/bot.ts'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { type BotOptions } from '../../src/bot/options.ts'
import { internalsOf } from '../../src/bot/bot-internals.ts'
import { signDelivery } from '../../src/bot/switchhook.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'

const ASHA = '255712000101'
let ids = 0
const newId = () => `01J${String(++ids).padStart(23, '0')}`

const message = (o: { text?: string; at?: string; id?: string; more?: object } = {}) =>
  JSON.stringify({
    event: 'message.received',
    data: {
      id: o.id ?? 'msg-1',
      wa_message_id: `wamid.${o.id ?? 'msg-1'}`,
      from: ASHA,
      message_type: 'text',
      content: o.text ?? 'hi',
      created_at: o.at ?? '2026-03-04T09:15:21Z',
      ...o.more,
    },
  })

/** A bot over a store in memory, which gets signed deliveries; it sends to an emulator if a test needs that. */
async function open(options: BotOptions = {}, register: (bot: Bot & Sender) => void = () => {}) {
  let store: Store | undefined
  const heard: string[] = []
  const alarms: string[] = []
  const bot = assemble(
    { ...(!options.numbers && { signingSecret: ['one', 'two'] }), database: ':memory:', logger: false, ...options },
    {
      environment: {},
      random: () => 0,
      open: (file) => {
        store = openSqlite(file)
        return store
      },
    },
  )
  bot.observe({ alarm: ({ reason }) => void alarms.push(reason ?? '') })
  register(bot)
  bot.otherwise((ctx) => {
    heard.push(`${ctx.message.text}${ctx.late ? ' (late)' : ''}`)
  })
  onTestFinished(() => bot.stop({ drain: 0 }))
  await bot.start()
  const send = (
    body: string,
    o: { secret?: string; id?: string; event?: string; at?: Date; headers?: Record<string, string> } = {},
  ) => {
    const headers = signDelivery({
      body,
      secret: o.secret ?? 'one',
      at: o.at ?? new Date(),
      event: o.event ?? 'message.received',
      deliveryId: o.id ?? newId(),
    })
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    return internalsOf(bot).receive({
      method: 'POST',
      headers: { ...lower, ...o.headers },
      readBody: async () => ({ bytes: Buffer.from(body) }),
    })
  }
  const settled = async () => {
    const waiting = async () => {
      // In this order: what is ingested between the two looks is counted among the items.
      const pending = (await store?.unread(1)) ?? []
      const items = (await store?.counts())?.items ?? {}
      return pending.length + (items['stored'] ?? 0) + (items['running'] ?? 0) + (items['retry'] ?? 0)
    }
    await expect.poll(waiting).toBe(0)
    return (await store?.counts()) as Awaited<ReturnType<Store['counts']>>
  }
  return { bot, send, heard, alarms, settled, store: () => store as Store }
}

describe('the identity of a message', () => {
  it('is the same over two subscriptions of one number: it is handled once [R DEL-01 SIG-06]', async () => {
    const { send, heard, settled } = await open()
    await send(message(), { secret: 'one' })
    await send(message({ more: { rendered: 'by another subscription' } }), { secret: 'two' })
    expect((await settled()).items).toEqual({ done: 1, same_message: 1 })
    expect(heard).toEqual(['hi'])
  })

  it('raises an alarm if one id is used for two messages, and handles both', async () => {
    const { send, heard, alarms, settled } = await open()
    await send(message({ text: 'first' }))
    await send(message({ text: 'second', at: '2026-03-04T10:00:00Z' }))
    await settled()
    expect(heard).toEqual(['first', 'second'])
    expect(alarms).toEqual(['identity_reused'])
  })

  it('shows whether a known id with other bytes is the same message, or a conflict that is reported [R SIG-07, F-26]', async () => {
    const { send, heard, alarms, settled } = await open()
    const id = newId()
    await send(message({ id: 'a' }), { id })
    await settled()
    await send(message({ id: 'a', more: { rendered: 'again' } }), { id })
    await settled()
    expect(alarms).toEqual([])
    await send(message({ id: 'b', text: 'suppressed?' }), { id })
    const { deliveries } = await settled()
    expect(deliveries).toEqual({ stored: 1, rendered_anew: 1, conflict: 1 })
    expect(alarms).toEqual(['conflict'])
    expect(heard).toEqual(['hi'])
  })

  it('never affects the answer: whatever a payload is like, it is stored and acknowledged [R DEL-01, EVT-02]', async () => {
    const file = new URL('../vectors/negatives.json', import.meta.url)
    const { payloads } = JSON.parse(readFileSync(file, 'utf8')) as { payloads: { event: string; body: string }[] }
    const { send, settled } = await open()
    for (const { event, body } of payloads) expect((await send(body, { event })).status).toBe(200)
    const { deliveries } = await settled()
    expect(Object.values(deliveries).reduce((sum, count) => sum + count, 0)).toBe(payloads.length)
  })

  it('quarantines a body that names another event than its header: nothing is handled under an unsigned name [F-28]', async () => {
    const paid: unknown[] = []
    const { send, heard, settled } = await open({}, (bot) => bot.on('order.paid', () => void paid.push(1)))
    await send(message(), { event: 'order.paid' })
    expect((await settled()).deliveries).toEqual({ quarantined: 1 })
    expect([paid, heard]).toEqual([[], []])
  })

  it.each([
    ['order.paid', 'quarantined', 'event_name_mismatch'],
    ['Message.Received', 'ignored', undefined],
  ])(
    'keeps the genuine delivery for a person, with an alarm, if somebody posts its signed bytes as %s before it [R SIG-07]',
    async (event, state, alarm) => {
      const { send, heard, alarms, settled, store } = await open()
      const [at, body] = [new Date(), message()]
      await send(body, { event, at })
      await settled()
      for (let times = 0; times < 3; times++) await send(body, { at })
      const { deliveries } = await settled()
      expect(deliveries).toEqual({ [state]: 1, conflict: 1 })
      expect([heard, alarms]).toEqual([[], [...(alarm ? [alarm] : []), 'conflict']])
      const [kept] = (await store().listDeliveries({ states: ['conflict'], limit: 2 })).deliveries
      await store().reingest([kept?.seq ?? 0])
      await settled()
      expect(heard).toEqual(['hi'])
    },
  )

  it('replies once even if a replay is dispatched, because keys come from signed content [B IDEM-01, F-32]', async () => {
    await using emulator = await createEmulator()
    const options = { baseUrl: emulator.url, accessToken: emulator.accessToken }
    const { send, settled } = await open({ identicalDeliveries: 'dispatch', ...options }, (bot) =>
      bot.hears('hi', (ctx) => ctx.reply('once')),
    )
    await emulator.customer(ASHA).says('opens the window')
    const at = new Date()
    const body = message({ at: at.toISOString() })
    for (let times = 0; times < 3; times++) await send(body, { at })
    await settled()
    const sent = (await emulator.customer(ASHA).thread()).filter((item) => item['direction'] === 'OUTBOUND')
    expect(sent.map((item) => item['text'])).toEqual(['once'])
  })
})

it('a lane starts with the oldest payload time of waiting messages, and marks a straggler as late [R DEL-03]', async () => {
  const { send, heard, settled } = await open()
  await send(message({ id: 'c', text: 'third', at: '2026-03-04T09:00:03Z' }))
  await settled()
  await send(message({ id: 'a', text: 'first', at: '2026-03-04T09:00:01Z' }))
  await settled()
  await send(message({ id: 'd', text: 'fourth', at: '2026-03-04T09:00:04Z' }))
  await settled()
  expect(heard).toEqual(['third', 'first (late)', 'fourth'])
})

describe('several numbers', () => {
  const shared = {
    a: { signingSecret: 'one', phoneNumberId: '1001' },
    b: { signingSecret: 'one', phoneNumberId: '1002' },
  }

  it('are distinguished by the payload if they share a secret, and only then [R SIG-06]', async () => {
    const numbers: string[] = []
    const { send, settled } = await open({ numbers: shared }, (bot) =>
      bot.hears('which', (ctx) => void numbers.push(ctx.number)),
    )
    for (const [index, phone_number_id] of ['1002', '1001'].entries())
      await send(message({ id: `n${index}`, text: 'which', more: { phone_number_id } }))
    await send(message({ id: 'nobody', text: 'which', more: { phone_number_id: '1009' } }))
    await send(message({ id: 'none', text: 'which' }))
    expect((await settled()).items).toEqual({ done: 2, parked: 2 })
    expect(numbers.sort()).toEqual(['a', 'b'])
  })

  it('park a delivery that names another number than the one whose secret matched [R SIG-06]', async () => {
    const { send, heard, settled } = await open({ phoneNumberId: '1001' })
    await send(message({ more: { phone_number_id: '1009' } }))
    expect((await settled()).items).toEqual({ parked: 1 })
    expect(heard).toEqual([])
  })
})
