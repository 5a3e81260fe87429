import { hash } from 'node:crypto'
import type { View, Facts, FactValues } from './payload/facts.ts'
import type { Identity, ItemKind, NewItem, StoredDelivery } from '../../store/types/types.ts'

export interface OwnNumber {
  readonly name: string
  readonly phoneNumberId: string | undefined
  /** Several numbers share the subscription, and the payload names none of them. */
  readonly unclear?: boolean
}

/** The members of a delivery that ingest reads, before or after it is stored. */
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

export function causeOf({ delivery, idx }: ReadItem, identity: Identity | undefined): NewItem['cause'] {
  return new Cause(identity?.key, delivery, idx)
}

class Cause {
  readonly identity: string | undefined
  readonly #delivery: ReadableDelivery
  readonly #idx: number

  constructor(identity: string | undefined, delivery: ReadableDelivery, idx: number) {
    this.identity = identity
    this.#delivery = delivery
    this.#idx = idx
  }

  /**
   * For an item without an identity: its signed material. Never the delivery id, which is not signed. Made when it is
   * asked for, since most items have an identity.
   */
  get signed(): string {
    const { subscription, timestamp, digest } = this.#delivery
    return `signed:${subscription}:${timestamp}:${hex(digest)}:${this.#idx}`
  }
}

/** The reason why an item is parked until a person acts; undefined if it can be handled. */
export function missingIn({ kind, number, facts: { values, sure } }: ReadItem, { lost }: View): string | undefined {
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

/** The facts that an item keeps: their values, and which of them are reliable. */
export interface KeptFacts {
  readonly values: Partial<FactValues>
  /** The names of the reliable facts, on which sends and windows may depend. */
  readonly sure: readonly string[]
  readonly mapped: readonly string[]
  /** The app's own facts, by the app's own names. */
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
