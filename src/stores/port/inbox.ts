import type { DeliveryState } from './delivery.ts'
import type { ItemKind, ItemState } from './item.ts'

/**
 * How far a delivery is, as people see it: what waits, for the sort or for its turn, is `stored`; then come the states of
 * its items, and those in which a delivery rests without any.
 */
export const INBOX_STATES = [
  'stored',
  'running',
  'retry',
  'done',
  'parked',
  'dead',
  'ignored',
  'quarantined',
  'suspected_replay',
  'conflict',
  'rendered_anew',
  'same_message',
  'stale',
] as const satisfies readonly (DeliveryState | ItemState)[]

export type InboxState = (typeof INBOX_STATES)[number]

/** Which deliveries are listed: all, but for what is given. State, number and customer are those of one item. */
export interface DeliveryQuery {
  readonly states?: readonly InboxState[]
  readonly event?: string
  readonly number?: string
  readonly customer?: string
  /** Wall time: those that came then or later. */
  readonly receivedFrom?: number
  /** Those alone that were stored after this one. */
  readonly newerThan?: number
  readonly limit: number
  /** Where the last page ended; absent for the first. */
  readonly after?: number
}

export interface DeliveryPage {
  readonly deliveries: readonly DeliveryRow[]
  /** Where to go on; undefined where there are no more. */
  readonly next: number | undefined
}

/** A delivery with its items, without what they say. */
export interface DeliveryRow {
  readonly seq: number
  readonly subscription: string
  readonly deliveryId: string | undefined
  readonly event: string | undefined
  /** Unix seconds, as signed. */
  readonly timestamp: number
  readonly receivedAt: number
  readonly clockOffset: number
  readonly state: DeliveryState
  /** Whether it waits for the sort. */
  readonly pending: boolean
  /** The first of those that resemble it: with its id, or with its signed bytes. */
  readonly resembles: number | undefined
  /** How often it was told again. */
  readonly repeats: number
  readonly note: string | undefined
  /** Whether its bytes are kept still. */
  readonly hasBytes: boolean
  readonly items: readonly ItemRow[]
}

export interface ItemRow {
  readonly id: number
  readonly idx: number
  readonly kind: ItemKind
  readonly number: string
  readonly customer: string | undefined
  /** Service time. */
  readonly at: number
  readonly state: ItemState
  readonly attempts: number
  /** Wall time of the next attempt. */
  readonly readyAt: number
  readonly reason: string | undefined
  /** Since when it counts as new: when it was sorted, or put back. */
  readonly createdAt: number
  readonly settledAt: number | undefined
}

/** What one delivery says, and what came of it. */
export interface DeliveryDetail {
  readonly body: Uint8Array | undefined
  readonly digest: Uint8Array
  readonly items: readonly ItemDetail[]
  /** Sends whose cause it is, in the order in which they were asked for. */
  readonly sends: readonly { readonly id: string; readonly state: string }[]
  /** Those that came later and resemble it. */
  readonly resembledBy: readonly number[]
}

export interface ItemDetail {
  readonly id: number
  /** As JSON; undefined where they are gone. */
  readonly facts: string | undefined
  readonly cause: string
  readonly identity: string | undefined
  /** Handlers that do not run again. */
  readonly completedHandlers: readonly string[]
  /** Names of what `once` has kept. */
  readonly once: readonly string[]
}

/** A delivery that was verified and understood, with its bytes. */
export interface RecordedDelivery {
  readonly seq: number
  readonly event: string
  readonly body: Uint8Array
}

/** How much is kept of a customer on one number. */
export interface Holding {
  readonly items: number
  readonly sends: number
  readonly sessions: number
  readonly windows: number
  readonly mutes: number
}
