import { hash } from 'node:crypto'
import type { FactName, View, Facts, FactValues } from './payload/facts.ts'
import type { Identity, ItemKind, NewItem, StoredDelivery } from '../../store/types/types.ts'

export interface OwnNumber {
  readonly name: string
  readonly phoneNumberId: string | undefined
  /** Several numbers share the subscription, and the payload names none of them. */
  readonly unclear?: boolean
}

export type ReadableDelivery = Omit<StoredDelivery, 'seq'>

/** An item before it is stored: the part of one delivery that concerns one customer. */
export interface ReadItem {
  readonly delivery: ReadableDelivery
  readonly idx: number
  readonly kind: ItemKind
  readonly number: OwnNumber
  /** Service time. */
  readonly receivedAt: number
  readonly facts: KeptFacts
  /** A required fact that is missing at the app's mapped path. */
  readonly lost: FactName | undefined
}

export function kindOf(event: string): ItemKind {
  if (event === 'message.received') return 'message'
  return event === 'message.status' ? 'status' : 'event'
}

/** One lane per customer. Statuses have their own lanes. The store names the lane of an item without a customer. */
export function laneOf({ number, facts: { values }, kind }: ReadItem): string | undefined {
  if (values.customer === undefined) return undefined
  const lane = `${number.name}/${values.customer}`
  return kind === 'status' ? `${lane}/status` : lane
}

/**
 * The identity of a message: the upstream platform's id, else the service's, if its place in the payload is reliable.
 * It is bound to the customer and the time, so that an id that is used twice is noticed. Other events have no identity.
 */
export function identityOf({ kind, facts: { values, sure }, delivery }: ReadItem): Identity | undefined {
  if (kind !== 'message') return undefined
  const key =
    values.upstreamId !== undefined && sure.includes('upstreamId')
      ? `upstream:${values.upstreamId}`
      : values.messageId !== undefined && sure.includes('messageId')
        ? `message:${values.messageId}`
        : undefined
  if (key === undefined) return undefined
  const bound = `${values.customer ?? values.userId ?? ''}|${values.at ?? hex(delivery.digest)}`
  // A digest, since an identity claim outlives the data of its customer.
  return { key, binding: hash('sha256', bound, 'base64url') }
}

/**
 * An item without an identity is named by its signed material, never by the delivery id, which is not signed. That is
 * made when it is asked for, since most items have an identity.
 */
export function causeOf({ delivery, idx }: ReadItem, identity: Identity | undefined): NewItem['cause'] {
  return {
    identity: identity?.key,
    get signed() {
      const { subscription, timestamp, digest } = delivery
      return `signed:${subscription}:${timestamp}:${hex(digest)}:${idx}`
    },
  }
}

/** The reason why an item is parked until a person acts; undefined if it can be handled. */
export function missingIn({ kind, number, facts: { values, sure }, lost }: ReadItem): string | undefined {
  if (number.unclear)
    return 'number_unclear: several numbers share this subscription, and the payload names none of them'
  const own = number.phoneNumberId
  if (own !== undefined && values.numberId !== undefined && values.numberId !== own && sure.includes('numberId'))
    return 'number_mismatch: the payload names another number than the one configured for this subscription'
  if (lost !== undefined) return `fact_missing: ${lost}`
  if (kind !== 'message' || values.customer !== undefined) return undefined
  return values.userId === undefined ? 'fact_missing: customer' : 'customer_number_hidden'
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

export interface KeptFacts {
  readonly values: Partial<FactValues>
  /** The names of the reliable facts, on which sends and windows may depend. */
  readonly sure: readonly string[]
  readonly mapped: readonly string[]
  readonly own: Readonly<Record<string, unknown>>
}

export function keepFacts({ facts, own }: View): KeptFacts {
  const values: Record<string, unknown> = {}
  const sure: string[] = []
  const mapped: string[] = []
  for (const name of Object.keys(facts) as (keyof Facts)[]) {
    const reading = facts[name]
    if (reading === undefined) continue
    // The payload reader keeps a time that no clock can show, but a table cannot.
    if (name !== 'at' || Number.isSafeInteger(reading.value)) values[name] = reading.value
    if (reading.sure) sure.push(name)
    if (reading.sure && reading.how === 'mapped') mapped.push(name)
  }
  return { values, sure, mapped, own: own ? ownIn(own) : {} }
}

function ownIn(own: NonNullable<View['own']>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(own).map(([name, { value }]) => [name, value]))
}
