import type { WindowMove } from '../customers.ts'
import type { NewTakeover } from '../hand-over.ts'
import type { Acceptance, IngestOutcome } from './acceptance.ts'
import type { NewStatus } from '../outbox/statuses.ts'
import type { NewItem, StartedItem } from '../work/items.ts'
import type { Begun } from '../work/lanes.ts'

export interface Ingested {
  /** The result of reading. `conflict`: the items are compared with those of the first delivery, and not dispatched. */
  readonly state: 'ingested' | 'ignored' | 'quarantined' | 'conflict'
  readonly note?: string
  readonly items: readonly NewItem[]
  readonly windows: readonly WindowMove[]
  readonly statuses: readonly NewStatus[]
  readonly takeovers?: readonly NewTakeover[]
}

export interface Accepted {
  readonly as: Acceptance
  /** The inbox row; undefined if the delivery repeats a known one. */
  readonly seq?: number
  /** The outcomes of the ingest; undefined if the delivery is unread or has ended. */
  readonly ingested?: readonly IngestOutcome[]
  /** Its item, if that has begun in the same commit. */
  readonly started?: Begun<StartedItem>
}
