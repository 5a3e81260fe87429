/**
 * The states of a row of the inbox before and beside its items:
 *
 * `stored` (once sorted, its items say how far it is) | `ignored` (no handler, unknown event) | `quarantined`
 * (signed, but not to be understood). Never dispatched by themselves: `suspected_replay` (signed bytes seen
 * before under another id or event; stored after all where the first bore an event name that the bytes deny),
 * `conflict` (a known id with other signed bytes) → `rendered_anew` (it says the same message) and `stale` (refused for
 * its time, kept on request).
 */
export type DeliveryState =
  | 'stored'
  | 'ignored'
  | 'quarantined'
  | 'suspected_replay'
  | 'conflict'
  | 'rendered_anew'
  | 'stale'

/** A verified delivery, as it is to be stored. */
export interface NewDelivery {
  readonly subscription: string
  /** Canonical. It or the event is absent where a header was missing, repeated or malformed: `unclear` says so. */
  readonly deliveryId: string | undefined
  readonly event: string | undefined
  /** Unix seconds, as signed. */
  readonly timestamp: number
  /** SHA-256 of the bytes; with subscription and timestamp it is the signed material. */
  readonly digest: Uint8Array
  readonly body: Uint8Array
  /** Wall time. */
  readonly receivedAt: number
  /** How far the service's clock was from ours when it came; 0 but beside an emulator. */
  readonly clockOffset: number
  /** Why its headers cannot be understood; such a delivery is quarantined, and takes no delivery id for itself. */
  readonly unclear?: string
  /** Its signature holds and its time does not: kept for a person to see, never dispatched. */
  readonly stale?: boolean
  /** Dispatch the same signed bytes under another id too, instead of keeping them as a suspected replay. */
  readonly dispatchIdentical?: boolean
}

/** What became of a delivery: decided by the keys, in the commit that stores it. */
export type Acceptance = 'stored' | 'quarantined' | 'duplicate' | 'suspected_replay' | 'conflict' | 'stale'

/** A delivery that waits for the sort. */
export interface StoredDelivery {
  readonly seq: number
  readonly subscription: string
  readonly deliveryId: string
  readonly event: string
  readonly timestamp: number
  readonly digest: Uint8Array
  readonly body: Uint8Array
  readonly receivedAt: number
  readonly clockOffset: number
  /** A conflict: what came first under its id. The sort looks whether both say the same, and no more. */
  readonly conflictsWith?: number | undefined
}
