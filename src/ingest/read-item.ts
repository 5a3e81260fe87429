import { createHash } from 'node:crypto'
import type { FactValues, View } from '../payload/index.ts'
import type { Identity, ItemKind, StoredDelivery } from '../stores/port/index.ts'

/** A number of the bot, as the sort sees it. */
export interface OwnNumber {
  readonly name: string
  readonly phoneNumberId: string | undefined
  /** Several numbers share the subscription, and the payload names none of them. */
  readonly unclear?: boolean
}

/** Facts as an item keeps them: the values, and which of them may carry consequences. */
export interface KeptFacts {
  readonly values: Partial<FactValues>
  readonly sure: readonly string[]
  /** Those that the app mapped itself, and nothing guessed. */
  readonly mapped: readonly string[]
  /** Facts under names of the app's own. */
  readonly own: Readonly<Record<string, unknown>>
}

/** An item as it was read, before it is stored: what one delivery says to one customer. */
export interface ReadItem extends KeptFacts {
  readonly delivery: StoredDelivery
  readonly idx: number
  readonly kind: ItemKind
  readonly number: OwnNumber
  /** Service time. */
  readonly receivedAt: number
}

export function readItem(
  delivery: StoredDelivery,
  view: View,
  idx: number,
  number: OwnNumber,
  receivedAt: number,
): ReadItem {
  const values: Record<string, unknown> = {}
  const sure: string[] = []
  const mapped: string[] = []
  for (const [fact, reading] of Object.entries(view.facts)) {
    if (reading === undefined) continue
    values[fact] = reading.value
    if (reading.sure) sure.push(fact)
    if (reading.sure && reading.how === 'mapped') mapped.push(fact)
  }
  // A time that no clock can show is no time: the payload's reader keeps it, a table could not.
  if (!Number.isSafeInteger(values['at'])) delete values['at']
  return { delivery, idx, kind: kindOf(delivery.event), number, receivedAt, values, sure, mapped, own: ownIn(view) }
}

function ownIn({ own = {} }: View): Record<string, unknown> {
  return Object.fromEntries(Object.entries(own).map(([name, { value }]) => [name, value]))
}

function kindOf(event: string): ItemKind {
  if (event === 'message.received') return 'message'
  return event === 'message.status' ? 'status' : 'event'
}

/** One lane per customer; statuses have lanes of their own, and so has what names no customer. */
export function laneOf({ number, values, kind, delivery, idx }: ReadItem): string {
  if (values.customer === undefined) return `${number.name}//${delivery.seq}.${idx}`
  const lane = `${number.name}/${values.customer}`
  return kind === 'status' ? `${lane}/status` : lane
}

/**
 * Who a message says it is: the upstream platform's id, else the service's, where that stands at a place to trust.
 * Bound to who wrote it and when, so that an id used twice is noticed. Other events have no identity of their own.
 */
export function identityOf({ kind, values, sure, delivery }: ReadItem): Identity | undefined {
  if (kind !== 'message') return undefined
  const who = `${values.customer ?? values.userId ?? ''}|${values.at ?? hex(delivery.digest)}`
  // A digest, since a claim outlives what is kept of its customer.
  const binding = createHash('sha256').update(who).digest('base64url')
  if (values.upstreamId !== undefined && sure.includes('upstreamId'))
    return { key: `upstream:${values.upstreamId}`, binding }
  if (values.messageId !== undefined && sure.includes('messageId'))
    return { key: `message:${values.messageId}`, binding }
  return undefined
}

/** The signed material as a cause: what replies hang on where there is no identity to trust. Never the delivery id. */
export function signedCause({ delivery, idx }: ReadItem): string {
  return `signed:${delivery.subscription}:${delivery.timestamp}:${hex(delivery.digest)}:${idx}`
}

/** Why nothing of this can be handled until somebody mends it. */
export function missingIn({ kind, number, values, sure }: ReadItem): string | undefined {
  if (number.unclear)
    return 'number_unclear: several numbers share this subscription, and the payload names none of them'
  const own = number.phoneNumberId
  if (own !== undefined && values.numberId !== undefined && values.numberId !== own && sure.includes('numberId'))
    return 'number_mismatch: the payload names another number than the one configured for this subscription'
  if (kind !== 'message' || values.customer !== undefined) return undefined
  return values.userId === undefined ? 'fact_missing: customer' : 'customer_number_hidden'
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
