import type { Acceptance, IngestOutcome } from './stored-deliveries.ts'
import type { StartedItem } from './stored-items.ts'
import type { Held } from './lanes.ts'

export interface Accepted {
  readonly as: Acceptance
  /** Undefined if the delivery repeats a known one. */
  readonly seq?: number
  /** The outcome of its ingest, if that was given and came about; otherwise the delivery is unread, or has ended. */
  readonly ingested?: readonly IngestOutcome[]
  /** Its item, begun in the same commit: the lane was idle, and there was room. */
  readonly started?: Held<StartedItem>
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
