import { createHash } from 'node:crypto'
import type { NewDelivery } from '../../src/store/inbox/accept.ts'
import type { Ingested } from '../../src/store/inbox/arrive.ts'
import type { BeginningSend } from '../../src/store/outbox/open.ts'
import type { SendingRules } from '../../src/store/outbox/send-attempts.ts'
import type { NewSend } from '../../src/store/outbox/rows.ts'
import type { Identity, NewItem } from '../../src/store/work/items.ts'
import type { Claim, Lease } from '../../src/store/work/lanes.ts'

/** Wall time at which tests begin. */
export const T0 = Date.UTC(2026, 2, 4, 9)
export const LEASE_MS = 10_000
export const HOUR = 3_600_000
export const DAY = 24 * HOUR
export const ASHA = '255712000101'
export const JUMA = '255712000102'
export const NEEMA = '255712000103'
export const WHO = { number: 'default', customer: ASHA }

export const DONE = { as: 'done' } as const
export const DEAD = { as: 'dead', reason: 'gave up' } as const
export const ACCEPTED = { as: 'accepted', messageId: 'm1', upstreamId: undefined, possiblyTwice: false } as const
export const REFUSED = { as: 'refused', code: 'x', reason: 'x' } as const
export const UNKNOWN = { as: 'unknown', code: undefined, reason: 'no answer' } as const

let made = 0

/** Gives each sample of a run its own number. */
const fresh = () => ++made

export type Changes<T> = Partial<{ [K in keyof T]: T[K] }>

/** A delivery like no other, with the given members. */
export function delivery(given: Changes<NewDelivery> & { text?: string } = {}): NewDelivery {
  const { text = `hello ${fresh()}`, ...changes } = given
  const body = Buffer.from(JSON.stringify({ text }))
  return {
    subscription: 'default',
    deliveryId: idOf(fresh()),
    event: 'message.received',
    timestamp: Math.floor(T0 / 1000),
    digest: createHash('sha256').update(body).digest(),
    body,
    receivedAt: T0,
    clockOffset: 0,
    ...changes,
  }
}

/** A delivery whose headers could not be understood. */
export function unclear(given: Changes<NewDelivery> = {}): NewDelivery {
  return delivery({ ...given, deliveryId: undefined, event: undefined, unclear: 'the delivery id is missing' })
}

/** A delivery's id of this number, in the form of a ULID. */
export function idOf(number: number): string {
  return `01J${String(number).padStart(23, '0')}`
}

export function item(given: Changes<NewItem> = {}): NewItem {
  const customer = given.customer ?? ASHA
  return {
    idx: 0,
    kind: 'message',
    number: 'default',
    customer,
    lane: `default/${customer}`,
    at: T0,
    facts: '{"values":{},"sure":[]}',
    identity: undefined,
    cause: { identity: undefined, signed: `signed:${fresh()}` },
    state: 'stored',
    ...given,
  }
}

/** An item with an identity. */
export function named(identity: Identity, given: Changes<NewItem> = {}): NewItem {
  return item({ identity, cause: { identity: identity.key, signed: `signed:${fresh()}` }, ...given })
}

export function ingested(...items: readonly NewItem[]): Ingested {
  return { state: 'ingested', items, windows: [], statuses: [] }
}

export function claim(given: Changes<Claim> = {}): Claim {
  return { processName: 'one', limit: 16, now: T0, leaseMs: LEASE_MS, ...given }
}

/** Lets an item begin when its delivery is stored. */
export const BEGINS: Lease = { processName: 'one', now: T0, leaseMs: LEASE_MS }

/** A failure after which the item is tried again at that wall time, before all else of its lane. */
export function retryAt(at: number) {
  return { as: 'retry', reason: 'x', at, blocksLane: true, completedHandlers: [] } as const
}

export function send(given: Changes<NewSend> = {}): NewSend {
  const number = fresh()
  const customer = given.customer ?? ASHA
  return {
    // Ids fall, so that a wrong order by ids shows: sends are ordered by their recording.
    id: `sample-${String(1_000_000 - number).padStart(7, '0')}`,
    key: `sh1_${number}`,
    number: 'default',
    customer,
    lane: `default/${customer}/out`,
    cause: 'app',
    slot: `["${number}"]`,
    ref: undefined,
    body: JSON.stringify({ to: customer, text: `hello ${number}` }),
    via: 'freeform',
    fallback: undefined,
    createdAt: T0,
    ...given,
  }
}

/** A bot that knows the time and sends to everybody. */
export const RULES: SendingRules = {
  clock: { wall: () => T0, service: () => T0 },
  lease: { mayBeAhead: () => false },
  windowMs: DAY,
  onUnknown: 'repeat',
  keysRememberedFor: '24h',
  allowedRecipients: undefined,
}

/** Lets a send begin when it is recorded. */
export function beginning(given: Changes<BeginningSend> = {}): BeginningSend {
  return { ...BEGINS, rules: RULES, ...given }
}
