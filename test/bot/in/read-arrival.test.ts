import { expect, it } from 'vitest'
import {
  ingestDelivery,
  type IngestedDelivery,
  type IngestRules,
  LARGEST_BODY_READ_AT_ONCE,
  readArrival,
} from '../../../src/bot/in/ingest.ts'
import type { NewDelivery } from '../../../src/store/types/types.ts'
import vectors from '../../vectors/payloads.json' with { type: 'json' }

const RULES: IngestRules = { numbersOf: () => [{ name: 'shop', phoneNumberId: undefined }], listens: () => true }
const MESSAGE = JSON.stringify({ event: 'message.received', data: { id: 'm', from: '255712000101', content: 'hi' } })

function arrived(
  body: string,
  changes: Partial<NewDelivery> = {},
): NewDelivery & { event: string; deliveryId: string } {
  return {
    subscription: 'shop',
    deliveryId: '01J00000000000000000000000',
    event: 'message.received',
    timestamp: 1_772_615_721,
    digest: new Uint8Array(32),
    body: Buffer.from(body),
    receivedAt: 1_772_615_722_000,
    clockOffset: 0,
    ...changes,
  } as NewDelivery & { event: string; deliveryId: string }
}

it.each(vectors.payloads)('reads $name as ingest does once it is stored [R EVT-02]', ({ body, event }) => {
  const delivery = arrived(body, { event })
  // A plan makes no difference but in the function that makes the shape.
  const withShape = (read: IngestedDelivery | undefined) =>
    read && { ...read, reading: read.reading && { ...read.reading, shape: read.reading.shape() } }
  expect(withShape(readArrival(delivery, RULES))).toEqual(withShape(ingestDelivery(delivery, RULES)))
})

it('has the signed material as the cause of replies to an item without an identity', () => {
  const { ingested } = ingestDelivery(arrived(JSON.stringify({ data: { from: '255712000101', text: 'hi' } })), RULES)
  expect(ingested.items[0]?.cause.identity).toBeUndefined()
  expect(ingested.items[0]?.cause.signed).toBe(`signed:shop:1772615721:${'00'.repeat(32)}:0`)
})

it('runs no function of the app’s mapping before the answer, and reads paths', () => {
  const mapped = (customer: string | (() => never)) => ({ ...RULES, mappingOf: () => ({ customer }) })
  const refuse = () => expect.unreachable('called before the answer')
  expect(readArrival(arrived(MESSAGE), mapped(refuse))).toBeUndefined()
  expect(readArrival(arrived(MESSAGE), mapped('data.from'))?.facts).toMatchObject([{ mapped: ['customer'] }])
})

it('parks a message that lacks a fact at its mapped path, and knows the window by its customer and time [R EVT-08]', () => {
  const mapping = { customer: 'data.from', at: 'data.created_at', messageId: ['data.id', 'data.key'] }
  const read = (data: object) => readArrival(arrived(JSON.stringify({ data })), { ...RULES, mappingOf: () => mapping })
  const data = { from: '255712000101', created_at: '2026-03-04T09:15:21Z' }
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
  expect(readArrival(arrived(filled(LARGEST_BODY_READ_AT_ONCE)), RULES)).toBeDefined()
  expect(readArrival(arrived(filled(LARGEST_BODY_READ_AT_ONCE + 1)), RULES)).toBeUndefined()
  expect(readArrival(arrived(MESSAGE, { stale: true }), RULES)).toBeUndefined()
  expect(readArrival(arrived(MESSAGE, { unclear: 'no id', deliveryId: undefined }), RULES)).toBeUndefined()
  expect(readArrival(arrived(MESSAGE, { unclear: 'x' }), RULES)).toBeUndefined()
})

it('postpones an unreadable delivery, so that ingest reports why', () => {
  const failing: IngestRules = {
    ...RULES,
    numbersOf() {
      throw new Error('no such subscription')
    },
  }
  expect(readArrival(arrived(MESSAGE), failing)).toBeUndefined()
})
