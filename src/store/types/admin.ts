import type { CustomerOfNumber } from './stored-customers.ts'
import type { DeliveryState, NewDelivery, NewItem } from './stored-deliveries.ts'
import type { Failure, ItemState } from './stored-items.ts'
import type { SendRow, SendState } from './stored-sends.ts'

/**
 * The state of a delivery as people see it. A delivery that waits, for ingest or for its turn, is `stored`; then come
 * the states of its items, and those in which a delivery rests without any.
 */
export const INBOX_STATES = [
  'stored',
  'running',
  'retry',
  'done',
  'parked',
  'dead',
  'ignored',
  'rested',
  'quarantined',
  'suspected_replay',
  'conflict',
  'rendered_anew',
  'same_message',
  'stale',
] as const satisfies readonly (DeliveryState | ItemState)[]

export type InboxState = (typeof INBOX_STATES)[number]

export interface DeliveryQuery {
  readonly states?: readonly InboxState[]
  readonly event?: string
  readonly number?: string
  readonly customer?: string
  /** Wall time: those that came then or later. */
  readonly receivedFrom?: number
  /** Only those that were stored after this one. */
  readonly newerThan?: number
  readonly limit: number
  readonly after?: number
}

export interface DeliveryPage {
  readonly deliveries: readonly DeliveryRow[]
  readonly next: number | undefined
}

export interface DeliveryRow
  extends Pick<NewDelivery, 'subscription' | 'deliveryId' | 'event' | 'timestamp' | 'receivedAt' | 'clockOffset'> {
  readonly seq: number
  readonly state: DeliveryState
  readonly pending: boolean
  /** The first of those that resemble it: with its id, or with its signed bytes. */
  readonly resembles: number | undefined
  readonly repeats: number
  readonly note: string | undefined
  readonly hasBytes: boolean
  readonly items: readonly ItemRow[]
}

export interface ItemBurst {
  /** False while it is being gathered. */
  readonly sealed: boolean
  /** The deliveries whose items are in it, this one's too, by payload time. */
  readonly deliveries: readonly number[]
}

export interface ItemRow extends Pick<NewItem, 'idx' | 'kind' | 'number' | 'customer' | 'at'> {
  readonly id: number
  readonly state: ItemState
  readonly attempts: number
  /** Wall time of the next attempt. */
  readonly readyAt: number
  /** Items that wait behind this one, whose back-off blocks their lane. */
  readonly behind: number
  /** Undefined if it is handled alone. */
  readonly burst: ItemBurst | undefined
  readonly reason: string | undefined
  /** Wall time since which it counts as new: of its ingest, or of a person's retry. */
  readonly createdAt: number
}

/** One delivery with its bytes, its items and their sends. */
export interface DeliveryDetail {
  readonly body: Uint8Array | undefined
  readonly digest: Uint8Array
  readonly items: readonly ItemDetail[]
  /** Sends whose cause it is, in the order in which they were recorded. */
  readonly sends: readonly { readonly id: string; readonly state: string }[]
  readonly resembledBy: readonly number[]
}

export interface ItemDetail {
  readonly id: number
  /** As JSON; undefined once they are wiped. */
  readonly facts: string | undefined
  readonly cause: string
  readonly identity: string | undefined
  /** Handlers that do not run again. */
  readonly completedHandlers: readonly string[]
  /** Names under which `once` has kept a result. */
  readonly once: readonly string[]
  /** The failure of the last attempt that failed, unless the item was done or requeued since. */
  readonly failure: Failure | undefined
}

/** A delivery that was verified and understood, with its bytes. */
export interface RecordedDelivery {
  readonly seq: number
  readonly event: string
  readonly body: Uint8Array
  readonly deliveryId: string
  readonly subscription: string
  /** Service time, in milliseconds since the epoch. */
  readonly at: number
}

/** A person's word on a send that the outbox does not, or should not, bring to an end automatically. */
export type Resolution = 'accepted' | 'resend' | 'drop'

export interface Resolved {
  readonly done: boolean
  readonly was: SendState
  readonly send: SendRow
}

export interface Resumed {
  /** Numbers whose closed throttle is probed at once. */
  readonly throttles: readonly string[]
  /** Sends held by a stopped number: one is its probe, and they go out when it passes. */
  readonly held: number
  /** Sends held since the database was brought back from a backup: they go out now. */
  readonly restored: number
}

export interface SendQuery {
  readonly state?: SendState
  readonly number?: string
  readonly customer?: string
  /** Only those that were recorded after this one. */
  readonly newerThan?: number
  readonly limit: number
  readonly after?: number
}

export interface SendPage {
  readonly sends: readonly SendRow[]
  readonly next: number | undefined
}

/** A glance counts no further than this. */
export const MOST_COUNTED = 10_000

/** One look of a person at a store, by indexes, however much is kept. */
export interface Glance {
  /** The numbers of the delivery, the send and the act that were recorded last; 0 if there is none. */
  readonly newest: { readonly deliveries: number; readonly sends: number; readonly acts: number }
  readonly resting: Readonly<Record<'dead' | 'parked' | 'quarantined' | 'conflict' | 'suspected_replay', number>>
  readonly sends: Readonly<Record<'scheduled' | 'held' | 'unknown', number>>
  readonly conversations: number
  readonly timers: number
  /** Those that have not ended, and the recipients of all that have an end. */
  readonly announcements: { readonly open: number; readonly reached: number }
}

/** Filters deliveries that wait for a person, who may requeue them together. */
export interface RestingQuery extends Omit<DeliveryQuery, 'states' | 'newerThan' | 'after'> {
  readonly states: readonly InboxState[]
}

export interface TimerRow extends CustomerOfNumber {
  readonly kind: string
  readonly name: string
  /** Service time. */
  readonly dueAt: number
}

/** A shape of payloads: paths and types, and nothing of a customer. */
export interface SeenShape {
  readonly event: string
  readonly fingerprint: string
  readonly paths: readonly string[]
  /** The paths are not all. */
  readonly truncated: boolean
  /** Wall time. */
  readonly lastAt: number
}

export interface NewShape {
  readonly event: string
  readonly fingerprint: string
  /** The event had no shape before. */
  readonly isFirst: boolean
  /** Paths that no other shape of the event has. */
  readonly gained: readonly string[]
  /** Paths that all other shapes of the event have. */
  readonly lost: readonly string[]
}

/** A fact that the app maps: its path, or `()` for a function. */
export interface MappedPath {
  readonly event: string
  readonly fact: string
  readonly path: string
}
