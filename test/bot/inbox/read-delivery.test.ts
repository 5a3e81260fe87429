import { describe, expect, it } from 'vitest'
import {
  readDelivery,
  type IngestRules,
  LARGEST_BODY_READ_AT_ONCE,
  readArrival,
} from '../../../src/bot/inbox/read-delivery.ts'
import { createKeySource } from '../../../src/bot/inbox/signature.ts'
import type { NewDelivery } from '../../../src/store/inbox/accept.ts'
import vectors from '../../vectors/payloads.json' with { type: 'json' }

it('names an unclear number like the subscription, whatever the order of the numbers [R SIG-06]', async () => {
  const names = ['b', 'a']
  const { all: source } = createKeySource(
    names.map((number) => ({ number, secrets: 'shared' })),
    () => 0,
  )
  const [key] = (await source.live()).keys
  const subscription = key?.subscription ?? ''
  const body = JSON.stringify({ event: 'message.received', data: { id: 'm', from: '255712000101', content: 'hi' } })
  const { ingested } = readDelivery(delivered(body, { subscription }), {
    numbersOf: () => names.map((name) => ({ name, phoneNumberId: undefined })),
    listens: () => true,
  })
  expect(ingested.items.map(({ number, lane }) => [number, lane])).toEqual([['a+b', 'a+b/255712000101']])
})

const NOW = Date.UTC(2026, 2, 4, 9)
const RULES: IngestRules = { numbersOf: () => [{ name: 'shop', phoneNumberId: undefined }], listens: () => true }
const CUSTOMER = '255712000101'
const MESSAGE = JSON.stringify({ event: 'message.received', data: { id: 'm', from: '255712000101', content: 'hi' } })

const ingest = (data: object | readonly object[]) =>
  readDelivery(delivered(JSON.stringify({ event: 'message.received', data })), RULES).ingested

describe('the window', () => {
  const message = { id: 'm', from: CUSTOMER, content: 'hi', timestamp: '2026-03-04T08:59:00Z' }

  it('is moved by a message with a sure customer and a sure time [B GEN-04, F-91]', () => {
    expect(ingest(message).windows).toEqual([{ number: 'shop', customer: CUSTOMER, lastAt: NOW - 60_000 }])
  })

  it('is moved neither by a time without a zone nor by one of two different customers: a closed window is never opened by a guess [B GEN-04, F-97]', () => {
    expect(ingest({ ...message, timestamp: '2026-03-04T08:59:00' }).windows).toEqual([])
    expect(ingest({ ...message, customer: { phone: '255712000102' } }).windows).toEqual([])
  })
})

it('asks of each message how it is gathered, and of no other event', () => {
  const gathersOf = (event: string) => {
    const body = JSON.stringify({ event, data: { id: 'm', from: CUSTOMER, content: 'hi' } })
    const { ingested } = readDelivery({ ...delivered(body), event }, { ...RULES, gathers: () => 'flushes' })
    return ingested.items[0]?.gathers
  }
  expect(gathersOf('message.received')).toBe('flushes')
  expect(gathersOf('message.sent')).toBeUndefined()
  expect(ingest({ id: 'm', from: CUSTOMER, content: 'hi' }).items[0]).not.toHaveProperty('gathers')
})

it('keeps what the number sent in a lane beside its customer’s messages, which it does not wait for', () => {
  const laneOf = (data: object, event: string) =>
    readDelivery({ ...delivered(JSON.stringify({ event, data })), event }, RULES).ingested.items[0]?.lane
  const lane = laneOf({ id: 'm', from: CUSTOMER, content: 'hi' }, 'message.received')
  expect(lane).toContain(CUSTOMER)
  expect(laneOf({ id: 'm', to: CUSTOMER, content: 'hi' }, 'message.sent')).toBe(`${lane}/sent`)
  expect(laneOf({ id: 'm', from_me: true, to: CUSTOMER, content: 'hi' }, 'message.received')).toBe(`${lane}/sent`)
})

it('binds the identity of a message to its customer and its time, so that a reused id is noticed [R DEL-01]', () => {
  const message = { message_id: 'm', from: CUSTOMER, content: 'hi', timestamp: '2026-03-04T08:59:00Z' }
  const identityOf = (change: object) => ingest({ ...message, ...change }).items[0]?.identity
  const first = identityOf({})
  expect(first?.key).toBe('message:m')
  expect(identityOf({ content: 'other words' })).toEqual(first)
  for (const change of [{ from: '255712000102' }, { timestamp: '2026-03-04T08:58:00Z' }]) {
    expect(identityOf(change)?.key).toBe('message:m')
    expect(identityOf(change)?.claimant).not.toBe(first?.claimant)
  }
})

it('keeps a batch of more than 4,000 messages whole and without items, because it would block the event loop [R EVT-02, F-106]', () => {
  const messages = Array.from({ length: 4_001 }, (_, nth) => ({ id: `m${nth}`, from: CUSTOMER, content: 'hi' }))
  expect(ingest(messages)).toMatchObject({ state: 'quarantined', note: 'batch_too_large', items: [] })
  expect(ingest(messages.slice(1))).toMatchObject({ state: 'ingested', items: { length: 4_000 } })
})

describe('a delivery that arrives', () => {
  it.each(vectors.payloads)('reads $name as ingest does once it is stored [R EVT-02]', ({ body, event }) => {
    const delivery = delivered(body, { event })
    expect(readArrival(delivery, RULES)).toEqual(readDelivery(delivery, RULES))
  })

  it('has the signed material as the cause of replies to an item without an identity', () => {
    const { ingested } = readDelivery(delivered(JSON.stringify({ data: { from: '255712000101', text: 'hi' } })), RULES)
    expect(ingested.items[0]?.cause.identity).toBeUndefined()
    expect(ingested.items[0]?.cause.signed).toBe(`signed:shop:${NOW / 1_000}:${'00'.repeat(32)}:0`)
  })

  it('runs no function of the app’s mapping before the answer, and reads paths', () => {
    const mapped = (customer: string | (() => never)) => ({ ...RULES, mappingOf: () => ({ customer }) })
    const refuse = () => expect.unreachable('called before the answer')
    expect(readArrival(delivered(MESSAGE), mapped(refuse))).toBeUndefined()
    expect(readArrival(delivered(MESSAGE), mapped('data.from'))?.facts).toMatchObject([{ mapped: ['customer'] }])
  })

  it('parks a message that lacks a fact at its mapped path, and knows the window by its customer and time [R EVT-08]', () => {
    const mapping = { customer: 'data.from', at: 'data.created_at', messageId: ['data.id', 'data.key'] }
    const read = (data: object) =>
      readArrival(delivered(JSON.stringify({ data })), { ...RULES, mappingOf: () => mapping })
    const data = { from: '255712000101', created_at: '2026-03-04T09:15:21Z', text: 'Habari' }
    for (const id of [{ id: 'm' }, { id: null, key: 'm' }])
      expect(read({ ...data, ...id })).toMatchObject({
        ingested: { items: [{ state: 'stored', identity: { key: 'message:m' } }] },
        facts: [{ mapped: ['customer', 'at', 'messageId'] }],
      })
    expect(read({ ...data, message_id: 'm' })).toMatchObject({
      ingested: {
        items: [{ state: 'parked', reason: 'fact_missing: messageId', identity: undefined }],
        windows: [{ customer: '255712000101' }],
      },
    })
  })

  it('postpones a delivery that is stale, has unclear headers, or is longer than 64 KiB', () => {
    const filled = (length: number) => MESSAGE + ' '.repeat(length - MESSAGE.length)
    expect(readArrival(delivered(filled(LARGEST_BODY_READ_AT_ONCE)), RULES)).toBeDefined()
    expect(readArrival(delivered(filled(LARGEST_BODY_READ_AT_ONCE + 1)), RULES)).toBeUndefined()
    expect(readArrival(delivered(MESSAGE, { stale: true }), RULES)).toBeUndefined()
    expect(readArrival(delivered(MESSAGE, { unclear: 'no id', deliveryId: undefined }), RULES)).toBeUndefined()
    expect(readArrival(delivered(MESSAGE, { unclear: 'x' }), RULES)).toBeUndefined()
  })

  it('postpones an unreadable delivery, so that ingest reports why', () => {
    const failing: IngestRules = {
      ...RULES,
      numbersOf() {
        throw new Error('no such subscription')
      },
    }
    expect(readArrival(delivered(MESSAGE), failing)).toBeUndefined()
  })
})

function delivered(
  body: string,
  change: Partial<NewDelivery> = {},
): NewDelivery & { event: string; deliveryId: string; seq: number } {
  return {
    seq: 1,
    subscription: 'shop',
    deliveryId: '01J00000000000000000000000',
    event: 'message.received',
    timestamp: NOW / 1_000,
    digest: new Uint8Array(32),
    body: Buffer.from(body),
    receivedAt: NOW,
    clockOffset: 0,
    ...change,
  } as NewDelivery & { event: string; deliveryId: string; seq: number }
}
