export interface Commit {
  readonly operations: number
  /** Milliseconds from its begin until it was on disk. */
  readonly durationMs: number
}

export type Work = 'items' | 'sends' | 'announcements' | 'erasure'

export type Counts = Readonly<Record<string, number>>

/** Limits of one transaction of pruning. Times are wall time, in milliseconds. */
export interface Pruning {
  /** Bytes and facts of deliveries that arrived before this go. */
  readonly bytesBefore: number
  /** All else of deliveries that arrived before this goes; not later than `bytesBefore`. */
  readonly idsBefore: number
  readonly now: number
  /** Nothing is done if a pruning that was given such a time began after this one: of several processes one prunes. */
  readonly unlessSince?: number
  /** Deliveries looked at; a transaction may end earlier if they are large. */
  readonly limit: number
  /** The `next` of the last transaction; absent for the first. */
  readonly after?: PruneMark
}

export interface PruneMark {
  readonly stage: 'forgotten' | 'bytes' | 'rows' | 'sends' | 'strays' | 'customers' | 'conversations' | 'announcements'
  /** The last row of the stage that was read; empty at its beginning. */
  readonly at: readonly (number | string)[]
}

export interface Pruned {
  /** Deliveries whose bytes went. */
  readonly wiped: number
  readonly removed: number
  /** Where to continue; undefined if all was read. */
  readonly next: PruneMark | undefined
  /** The beginning of a later pruning than `unlessSince`, for which nothing was done. */
  readonly begunAt?: number
}

export interface Compacted {
  /**
   * All bytes and facts that were wiped are gone from the files; false while another process uses them; undefined if the
   * store promises nothing about its files.
   */
  readonly whole: boolean | undefined
  /** Bytes of SQLite's write-ahead log that remain beside the database. */
  readonly logBytes: number
}

/** A database that was brought back from a backup, and whose sends were not let go since. */
export interface Restored {
  /**
   * `asked`: by the option `restored`. `noticed`: by its generation. `brought`: its file has no generation beside
   * it, or its server is another one than at its last opening. `earlier`: found so by an earlier opening.
   */
  readonly why: 'asked' | 'noticed' | 'brought' | 'earlier'
  readonly held: number
}

export type * from './admin.ts'
export type * from './stored-announcements.ts'
export type * from './stored-deliveries.ts'
export type * from './stored-customers.ts'
export type * from './stored-items.ts'
export type * from './lanes.ts'
export type * from './stored-sends.ts'
export { INBOX_STATES } from './admin.ts'
export { OWN_EVENTS, OWN_SUBSCRIPTION } from './stored-deliveries.ts'
export { MOST_COUNTED } from './admin.ts'
export { numberOf } from './lanes.ts'
export { SEND_STATES } from './stored-sends.ts'

export interface Waiting {
  readonly deliveries: number
  readonly items: number
  readonly sends: number
}

/** The `cause` of a `store_unavailable` that an app's start fixes: the database has no schema yet, or an older one. */
export class NotUpToDate extends Error {
  constructor() {
    super('it is none of this library’s, or of an older release: the app brings it up to date as it starts')
  }
}

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: 'INTEGER' | 'TEXT' | 'BLOB' }[]
  portions(): Iterable<readonly CopiedRow[]>
}

export type CopiedRow = readonly (number | string | Uint8Array | null)[]

/** A bot or another process works on the database, or has worked there. */
export class InUse extends Error {}
