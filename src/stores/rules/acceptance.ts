import type { DeliveryState, NewDelivery } from '../port/index.ts'

/** An earlier delivery that has one of the keys of the one in hand. */
export interface KnownDelivery {
  readonly seq: number
  /** The first of the deliveries that resemble each other; `seq` itself if this is the first. */
  readonly root: number
  readonly state: DeliveryState
  /** Undefined if its header was missing, repeated or malformed. */
  readonly deliveryId: string | undefined
  readonly event: string | undefined
  /** The event name that its bytes give themselves; only known for a delivery that was not handled. */
  readonly ownEvent: string | undefined
  /** Its signed bytes are those of the delivery in hand. */
  readonly sameBytes: boolean
}

/** Earlier deliveries under the two unique keys of a new one: (subscription, delivery id) and the signed material. */
export interface KnownByKeys {
  /** Never looked up for a delivery whose headers are unclear: it has no id to be known by. */
  readonly byId: KnownDelivery | undefined
  readonly bySignature: KnownDelivery | undefined
}

/** The row that the store writes for a delivery. `state` or `answer` is also the acceptance that the caller gets. */
export type Verdict =
  /** A row of its own. `root` is an earlier delivery of the same bytes: both have one cause and share their sends. */
  | { readonly write: 'row'; readonly state: 'stored' | 'quarantined' | 'stale'; readonly root: number | undefined }
  /** A row that is never dispatched by itself, one per signed bytes and event name, with a counter (SIG-07). */
  | { readonly write: 'resembling'; readonly state: 'suspected_replay' | 'conflict'; readonly root: number }
  /** One more repeat of a known row. */
  | { readonly write: 'repeat'; readonly seq: number; readonly answer: 'duplicate' | 'stale' }

/** The service repeats a delivery: the same id, bytes and event name. The signed material adds nothing to that. */
export function isRepeat(delivery: NewDelivery, byId: Pick<KnownDelivery, 'sameBytes' | 'event'> | undefined): boolean {
  return byId !== undefined && byId.sameBytes && byId.event === delivery.event
}

/**
 * Decides what becomes of a verified delivery.
 *
 * @param spoof an earlier delivery of the same bytes under a false event name: this one is dispatched in its place.
 */
export function judgeDelivery(
  delivery: NewDelivery,
  { byId, bySignature }: KnownByKeys,
  spoof?: KnownDelivery,
): Verdict {
  // Kept once per signed material, and only if nothing has it: a late replay must not reopen what was handled.
  if (delivery.stale === true) return bySignature ? repeat(bySignature, 'stale') : row('stale')
  if (byId && isRepeat(delivery, byId)) return repeat(byId, 'duplicate')
  if (spoof) return row('stored', spoof.root)
  const isClear = delivery.unclear === undefined
  const identical = bySignature && blocksSameBytes(bySignature) ? bySignature : undefined
  if (identical && delivery.dispatchIdentical !== true)
    return resembling(identical, wasNeverHandled(identical) ? 'conflict' : 'suspected_replay')
  if (bySignature && !isClear) return repeat(bySignature, 'duplicate')
  if (byId) return resembling(byId, byId.sameBytes ? 'suspected_replay' : 'conflict')
  return row(isClear ? 'stored' : 'quarantined', identical?.root)
}

/**
 * Event-name spoofing. The event's name is not signed, so signed bytes can be posted under another name before the
 * genuine delivery comes. The spoofed one is then quarantined or ignored, and a delivery under the name that the bytes
 * give themselves takes its place: it is dispatched as if it were the first.
 *
 * The answer names the earlier deliveries that are spoofs of this one. The same bytes are dispatched once under a name,
 * so the store takes the first of them whose bytes were not dispatched under this name before.
 */
export function earlierSpoofs(delivery: NewDelivery, { byId, bySignature }: KnownByKeys): KnownDelivery[] {
  if (delivery.stale === true || delivery.unclear !== undefined || (byId && !byId.sameBytes)) return []
  return [bySignature, byId].filter(
    (first) => first !== undefined && isGenuineName(delivery.event, first),
  ) as KnownDelivery[]
}

/** A delivery of the same bytes under this event name is the genuine one; the first one bears a false name. */
export function isGenuineName(
  event: string | undefined,
  first: Pick<KnownDelivery, 'state' | 'event' | 'ownEvent'>,
): boolean {
  if (first.ownEvent === undefined || event === undefined || event === first.event) return false
  if (first.state !== 'quarantined' && first.state !== 'ignored') return false
  return event.toLowerCase() === first.ownEvent.toLowerCase()
}

/**
 * An earlier delivery keeps a later one with the same signed bytes from being handled. One that was quarantined for its
 * headers does not: it was never handled, and headers are not signed. Nor does one that came while our clock was wrong.
 */
function blocksSameBytes(first: KnownDelivery): boolean {
  if (first.state === 'stale') return false
  return first.state !== 'quarantined' || (first.event !== undefined && first.deliveryId !== undefined)
}

/**
 * Nobody listened for the name under which these bytes came first, and the bytes do not name their event. Neither name
 * is signed, so a person has to say which one is true, and can retry both.
 */
function wasNeverHandled(first: KnownDelivery): boolean {
  return first.state === 'ignored' && first.ownEvent === undefined
}

function row(state: 'stored' | 'quarantined' | 'stale', root?: number): Verdict {
  return { write: 'row', state, root }
}

function resembling({ root }: KnownDelivery, state: 'suspected_replay' | 'conflict'): Verdict {
  return { write: 'resembling', state, root }
}

function repeat({ seq }: KnownDelivery, answer: 'duplicate' | 'stale'): Verdict {
  return { write: 'repeat', seq, answer }
}
