import type { Store } from './index.ts'

type ReadOperation =
  | 'restored'
  | 'counts'
  | 'glance'
  | 'waitingSince'
  | 'listDeliveries'
  | 'deliveries'
  | 'deliveriesWithId'
  | 'deliveryDetail'
  | 'recordedDeliveries'
  | 'listSends'
  | 'listConversations'
  | 'closedThrottles'
  | 'findSend'
  | 'holding'
  | 'keptOf'
  | 'statusesOf'
  | 'mapping'
  | 'close'

/** Operations of a store that only read, for commands beside a running app. */
export interface Reader extends Pick<Store, ReadOperation> {
  /** Differs after each commit of another process. */
  version(): Promise<number | string>

  /** The secret that `Store.secret` has made before; undefined if nobody asked for it yet. */
  knownSecret(name: string): Promise<Uint8Array | undefined>
}

/** The `cause` of a `store_unavailable` that an app's start mends: the database has no schema yet, or an older one. */
export class NotUpToDate extends Error {
  constructor() {
    super('it is none of this library’s, or of an older release: the app brings it up to date as it starts')
  }
}

/** A table of a database that is copied into another one. */
export interface CopiedTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: 'INTEGER' | 'TEXT' | 'BLOB' }[]
  /** The columns of its primary key, in their order. */
  readonly key: readonly string[]
  readonly rows: number
  /** Rows with U+0000 in a text; in the copy that is U+FFFD. */
  readonly withNul: number
  /** Rows with a text that is too long for an index of PostgreSQL, which would refuse them. */
  readonly tooLong: number
}

/** Values of one row, in the order of the table's columns. */
export type CopiedRow = readonly (number | string | Uint8Array | null)[]

/** Another process works on the database. */
export class InUse extends Error {}

/** A database that is copied. */
export interface CopySource {
  /** Another number once somebody has worked on the database: what was copied before is then of no use. */
  readonly state: number
  readonly bytes: number
  readonly tables: readonly CopiedTable[]
  /** A portion of a table's rows by their key, those behind `after`; the first may begin behind so many rows. */
  rows(table: CopiedTable, after: CopiedRow | undefined, skip?: number): readonly CopiedRow[]
  /** Has the next start over this database hold its sends, since they go out from the copy by now. */
  retire(): void
  close(): void
}

/** A database into which another one is copied. */
export interface CopyTarget {
  /**
   * The content of the database: nothing that a bot has received or sent (`empty`), a part of this copy (`begun`) or of
   * another one (`other`), or the work of a bot (`used`).
   */
  readonly found: 'empty' | 'begun' | 'other' | 'used'
  /** Connections of bots that work on the database, as far as the server shows them. */
  readonly bots: number
  /** From here on, until `end`, no bot starts over the database. What another copy has left is removed. */
  begin(): Promise<void>
  count(table: CopiedTable): Promise<number>
  /** In one transaction. */
  write(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>
  /** How many of these rows are there, with all their values. */
  same(table: CopiedTable, rows: readonly CopiedRow[]): Promise<number>
  end(): Promise<void>
  close(): Promise<void>
}
