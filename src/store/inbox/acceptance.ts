import type { WindowMove } from '../customers/customer.ts'
import type { CustomerOfNumber } from '../database/customer-tables.ts'
import type { Shared } from '../database/engine.ts'
import { customerLane, customersIn } from '../database/lane-names.ts'
import type { Silence } from '../database/silence.ts'
import type { NewStatus } from '../outbox/statuses.ts'
import type { DeliveryState, ItemState } from '../database/inbox-tables.ts'
import type { Identity, NewItem, ItemDelivery, StartedItem } from '../work/items.ts'
import type { Begun } from '../work/lanes.ts'

export interface NewDelivery extends Omit<ItemDelivery, 'seq' | 'deliveryId' | 'event'> {
  /** The canonical id. Undefined, like the event, if the header was missing, repeated or malformed: see `unclear`. */
  readonly deliveryId: string | undefined
  readonly event: string | undefined
  /** Unix seconds, as signed. */
  readonly timestamp: number
  /** SHA-256 of the bytes. With subscription and timestamp it is the signed material. */
  readonly digest: Uint8Array
  /** Why the headers cannot be understood. The delivery is quarantined, and claims no delivery id. */
  readonly unclear?: string
  /** True if the signature is valid and the time is not. The delivery is stored, and never dispatched. */
  readonly stale?: boolean
  /** Dispatch the same signed bytes under another id too. */
  readonly dispatchIdentical?: boolean
}

export type Acceptance = 'stored' | 'quarantined' | 'duplicate' | 'suspected_replay' | 'conflict' | 'stale'

/** An item whose identity was not free. `over_limit`: the first message of a customer above the limit, whatever its identity. */
export interface IngestOutcome {
  readonly idx: number
  readonly identity: 'same_message' | 'reused' | 'conflict' | 'over_limit'
}

export interface Ingested {
  /** The result of reading. `conflict`: the items are compared with those of the first delivery, and not dispatched. */
  readonly state: 'ingested' | 'ignored' | 'quarantined' | 'conflict'
  readonly note?: string
  readonly items: readonly NewItem[]
  readonly windows: readonly WindowMove[]
  readonly statuses: readonly NewStatus[]
  readonly silences?: readonly NewSilence[]
}

/** A silence that a message asks for. The feature that reads it adds what only it needs. */
export interface NewSilence extends CustomerOfNumber, Pick<Silence, 'since' | 'until'> {}

export interface Accepted {
  readonly as: Acceptance
  /** The inbox row; undefined if the delivery repeats a known one. */
  readonly seq?: number
  /** The outcomes of the ingest; undefined if the delivery is unread or has ended. */
  readonly ingested?: readonly IngestOutcome[]
  /** Its item, if that has begun in the same commit. */
  readonly started?: Begun<StartedItem>
}

export interface KnownDelivery {
  readonly seq: number
  /** The row of the delivery that has the bytes: this one, or the one that it resembles. */
  readonly original: number
  readonly state: DeliveryState
  readonly deliveryId: string | undefined
  readonly event: string | undefined
  readonly isMisnamed: boolean
  readonly sameBytes: boolean
}

export interface KnownByKeys {
  readonly byId: KnownDelivery | undefined
  readonly bySignature: KnownDelivery | undefined
}

/** The row that the store writes for a delivery. `state` or `answer` is also what the caller gets. */
export type Verdict =
  /**
   * The delivery gets its own row. `original`: an earlier delivery of the same bytes, if there is one. Both have the same
   * cause and share their sends.
   */
  | { readonly write: 'row'; readonly state: 'stored' | 'quarantined' | 'stale'; readonly original: number | undefined }
  /** The delivery gets a row that is never dispatched automatically, with a counter (SIG-07). */
  | { readonly write: 'resembling'; readonly state: 'suspected_replay' | 'conflict'; readonly first: number }
  | { readonly write: 'repeat'; readonly seq: number; readonly answer: 'duplicate' | 'stale' | 'conflict' }

/**
 * Returns true if the service repeats a delivery: the id, bytes and event name are the same. The signature's time does
 * not matter.
 */
export function isRepeat(delivery: NewDelivery, byId: Pick<KnownDelivery, 'sameBytes' | 'event'> | undefined): boolean {
  return byId !== undefined && byId.sameBytes && byId.event === delivery.event
}

export function judgeDelivery(delivery: NewDelivery, { byId, bySignature }: KnownByKeys): Verdict {
  // A stale delivery is stored once per signed bytes, and only if no row has these bytes: a late replay must not reopen
  // a handled delivery.
  if (delivery.stale === true) return bySignature ? repeat(bySignature, 'stale') : row('stale')
  if (byId && isRepeat(delivery, byId)) return repeat(byId, 'duplicate')
  if (bySignature?.state === 'conflict') return repeat(bySignature, 'conflict')
  if (bySignature?.state === 'rendered_anew') return repeat(bySignature, 'duplicate')
  const isClear = delivery.unclear === undefined
  const identical = bySignature && blocksSameBytes(bySignature) ? bySignature : undefined
  if (identical && delivery.dispatchIdentical !== true)
    return resembling(identical.seq, wasNeverHandled(identical) ? 'conflict' : 'suspected_replay')
  if (bySignature && !isClear) return repeat(bySignature, 'duplicate')
  // Two deliveries are known, one with this id and one with these bytes. It resembles the one with the bytes.
  if (byId && identical) return resembling(identical.seq, 'suspected_replay')
  if (byId) return resembling(byId.original, byId.sameBytes ? 'suspected_replay' : 'conflict')
  return row(isClear ? 'stored' : 'quarantined', identical?.original)
}

/**
 * Returns true if an earlier delivery makes this one a replay. A delivery that was stale, or quarantined for its
 * unsigned headers, does not.
 */
function blocksSameBytes(first: KnownDelivery): boolean {
  if (first.state === 'stale') return false
  return first.state !== 'quarantined' || (first.event !== undefined && first.deliveryId !== undefined)
}

/**
 * Returns true if the earlier delivery reached no handler: none was registered for its event, or its body names another
 * event. The event's name in the header is signed in neither of the two deliveries, so a person has to decide.
 */
function wasNeverHandled({ state, isMisnamed }: KnownDelivery): boolean {
  return state === 'ignored' || (state === 'quarantined' && isMisnamed)
}

function row(state: 'stored' | 'quarantined' | 'stale', original?: number): Verdict {
  return { write: 'row', state, original }
}

function resembling(first: number, state: 'suspected_replay' | 'conflict'): Verdict {
  return { write: 'resembling', state, first }
}

function repeat({ seq }: KnownDelivery, answer: 'duplicate' | 'stale' | 'conflict'): Verdict {
  return { write: 'repeat', seq, answer }
}

export type IdentityOutcome = 'free' | 'same_message' | 'reused'

export function judgeIdentity(
  { claimant }: Identity,
  known: { readonly claimant: string } | undefined,
): IdentityOutcome {
  if (!known) return 'free'
  return known.claimant === claimant ? 'same_message' : 'reused'
}

export interface JudgedItem {
  readonly state: ItemState
  readonly cause: string
  readonly waits: boolean
  readonly outcome: IngestOutcome['identity'] | undefined
}

export function judgeItem(
  item: NewItem,
  claimed: IdentityOutcome | undefined,
  ran: { readonly cause: string } | undefined,
): JudgedItem {
  const isKnown = claimed === 'same_message'
  return {
    state: isKnown ? 'same_message' : item.state,
    cause: ran?.cause ?? ((claimed === 'free' && item.cause.identity) || item.cause.signed),
    waits: item.state === 'stored' && !isKnown,
    outcome: claimed === 'free' ? undefined : claimed,
  }
}

export function sharedBy(
  { subscription, deliveryId, digest, timestamp }: NewDelivery,
  ingested: Ingested | undefined,
): Shared {
  const { items = NONE, windows = NONE, silences = NONE, statuses = NONE } = ingested ?? {}
  // An opt-out concerns the customer on every number. A failure without an item concerns a customer who is not named.
  const isOfOne = items.length > 0 && items.every(({ lane }) => lane !== undefined && customersIn(lane).length > 0)
  if (items.some(({ optOut }) => optOut) || (!isOfOne && statuses.some(({ status }) => status === 'failed'))) return {}
  const keys = [`id:${subscription}/${deliveryId}`, `signed:${timestamp}/${Buffer.from(digest).toString('latin1')}`]
  const customers: string[] = []
  for (const { number, lane, identity } of items) {
    if (lane !== undefined) customers.push(...customersIn(lane))
    if (identity) keys.push(`identity:${number}/${identity.key}`)
  }
  for (const moves of [windows, silences]) for (const who of moves) customers.push(customerLane(who))
  for (const { messageId, upstreamId } of statuses) keys.push(`status:${messageId}`, `status:${upstreamId}`)
  const lanes = items.flatMap(({ lane = NONE }) => lane)
  return { keys, customers, ids: Math.max(1, items.length), lanes }
}

const NONE: readonly never[] = []
