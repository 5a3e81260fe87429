/** How far a store prunes in one transaction. Times are wall time, in milliseconds. */
export interface Pruning {
  /** Bytes and facts of deliveries that were settled before this go. */
  readonly bytesBefore: number
  /** All else of deliveries that were settled before this goes; not later than `bytesBefore`. */
  readonly idsBefore: number
  readonly now: number
  /** Deliveries looked at; a transaction may end earlier where they are large. */
  readonly limit: number
  /** Where the last transaction ended; absent for the first. */
  readonly after?: PruneMark
}

/** A place in the way of pruning: first bytes, then the room that they took, then rows, then claims that outlived these. */
export interface PruneMark {
  readonly stage: 'bytes' | 'room' | 'rows' | 'claims' | 'sends'
  readonly receivedAt: number
  readonly seq: number
}

export interface Pruned {
  /** Deliveries whose bytes went. */
  readonly wiped: number
  /** Deliveries that went altogether. */
  readonly removed: number
  /** Where to go on; undefined where all was looked at. */
  readonly next: PruneMark | undefined
}

export interface Compacted {
  /** Whether all bytes and facts that were wiped are gone from the files; false while another process uses them. */
  readonly whole: boolean
  /** Bytes of the log that remain beside the database. */
  readonly logBytes: number
}

/** A database that was brought back from a backup, and whose sends were not let go since. */
export interface Restored {
  /** `asked`: whoever opened it said so. `noticed`: by its generation. `earlier`: found so by an earlier opening. */
  readonly why: 'asked' | 'noticed' | 'earlier'
  /** Sends that are held for it now. */
  readonly held: number
}
