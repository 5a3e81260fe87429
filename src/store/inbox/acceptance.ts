import type { DeliveryState, ItemState } from '../tables/inbox-tables.ts'
import type { Identity, NewItem, ItemDelivery } from '../work/items.ts'

export interface NewDelivery extends Omit<ItemDelivery, 'seq' | 'deliveryId' | 'event'> {
  /** Canonical. Undefined, like the event, if the header was missing, repeated or malformed: see `unclear`. */
  readonly deliveryId: string | undefined
  readonly event: string | undefined
  /** Unix seconds, as signed. */
  readonly timestamp: number
  /** SHA-256 of the bytes; with subscription and timestamp it is the signed material. */
  readonly digest: Uint8Array
  /** Why its headers cannot be understood: it is quarantined, and takes no delivery id. */
  readonly unclear?: string
  /** Its signature holds and its time does not: kept, never dispatched. */
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

export interface KnownDelivery {
  readonly seq: number
  /** The delivery whose bytes it has: itself, or the one that it resembles. */
  readonly root: number
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

/** The row that the store writes for a delivery. `state` or `answer` is also the acceptance that the caller gets. */
export type Verdict =
  /** Its own row. `root` is an earlier delivery of the same bytes: both have one cause and share their sends. */
  | { readonly write: 'row'; readonly state: 'stored' | 'quarantined' | 'stale'; readonly root: number | undefined }
  /** A row that is never dispatched automatically, with a counter (SIG-07). */
  | { readonly write: 'resembling'; readonly state: 'suspected_replay' | 'conflict'; readonly first: number }
  | { readonly write: 'repeat'; readonly seq: number; readonly answer: 'duplicate' | 'stale' | 'conflict' }

/** The service repeats a delivery: the same id, bytes and event name. The signed material adds nothing to that. */
export function isRepeat(delivery: NewDelivery, byId: Pick<KnownDelivery, 'sameBytes' | 'event'> | undefined): boolean {
  return byId !== undefined && byId.sameBytes && byId.event === delivery.event
}

export function judgeDelivery(delivery: NewDelivery, { byId, bySignature }: KnownByKeys): Verdict {
  // Kept once per signed material, and only if nothing has it: a late replay must not reopen what was handled.
  if (delivery.stale === true) return bySignature ? repeat(bySignature, 'stale') : row('stale')
  if (byId && isRepeat(delivery, byId)) return repeat(byId, 'duplicate')
  if (bySignature?.state === 'conflict') return repeat(bySignature, 'conflict')
  if (bySignature?.state === 'rendered_anew') return repeat(bySignature, 'duplicate')
  const isClear = delivery.unclear === undefined
  const identical = bySignature && blocksSameBytes(bySignature) ? bySignature : undefined
  if (identical && delivery.dispatchIdentical !== true)
    return resembling(identical.seq, wasNeverHandled(identical) ? 'conflict' : 'suspected_replay')
  if (bySignature && !isClear) return repeat(bySignature, 'duplicate')
  // Under a known id: its bytes are those of `identical`, if there is one, and so are its digest and cause.
  if (byId && identical) return resembling(identical.seq, 'suspected_replay')
  if (byId) return resembling(byId.root, byId.sameBytes ? 'suspected_replay' : 'conflict')
  return row(isClear ? 'stored' : 'quarantined', identical?.root)
}

/** Not one that was quarantined for its headers, which are not signed, or that came while our clock was wrong. */
function blocksSameBytes(first: KnownDelivery): boolean {
  if (first.state === 'stale') return false
  return first.state !== 'quarantined' || (first.event !== undefined && first.deliveryId !== undefined)
}

/** Nobody listened for its event name, or its body denies that. Neither name is signed, so a person has to decide. */
function wasNeverHandled({ state, isMisnamed }: KnownDelivery): boolean {
  return state === 'ignored' || (state === 'quarantined' && isMisnamed)
}

function row(state: 'stored' | 'quarantined' | 'stale', root?: number): Verdict {
  return { write: 'row', state, root }
}

function resembling(first: number, state: 'suspected_replay' | 'conflict'): Verdict {
  return { write: 'resembling', state, first }
}

function repeat({ seq }: KnownDelivery, answer: 'duplicate' | 'stale' | 'conflict'): Verdict {
  return { write: 'repeat', seq, answer }
}

export type IdentityOutcome = 'free' | 'same_message' | 'reused'

export function judgeIdentity({ binding }: Identity, known: { readonly binding: string } | undefined): IdentityOutcome {
  if (!known) return 'free'
  return known.binding === binding ? 'same_message' : 'reused'
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
