import type { Query } from './sql.ts'
import type { ColumnTypes, Index } from './table.ts'

/** A time span in which the bot rests for a customer, because somebody else answers. Service time. */
export interface Silence {
  readonly since: number
  readonly until: number
  /** The cause of the item whose handler began it; undefined if no handler did. A reply of that item is still sent. */
  readonly cause?: string | undefined
  /** Why a send is skipped. */
  readonly why: { readonly code: string; readonly reason: string }
}

type Span = Pick<Silence, 'since' | 'until'>

export function isInForce<S extends Span>(silence: S | undefined, at: number): silence is S {
  return silence !== undefined && silence.until > at
}

export function remaining(silence: Span | undefined, at: number): number {
  return silence === undefined ? 0 : Math.max(0, silence.until - Math.max(at, silence.since))
}

/** A feature that makes the bot silent to customers. It adds columns to the table `customers`. */
export interface Silencer {
  readonly columns: ColumnTypes
  readonly indexes: Readonly<Record<string, Index<string>>>
  /** The columns that are read with each item and each send of a customer. */
  readonly read: readonly string[]
  /** Returns the last silence, which may have ended. */
  silenceIn(row: never): Silence | undefined
  /** The column that has the end of the last silence. */
  readonly until: string
  /** A condition of rows whose columns of this feature contain nothing. */
  readonly isBlank: Query
  /** A condition of rows whose last silence ended before the wall time `before`. */
  isOld(before: number): Query
  /** Merges two rows. `latest` returns the one with the higher `name`; if both are equal, with the higher `tie`. */
  merged(latest: (name: string, tie: string) => Row): Row
}

type Row = Readonly<Record<string, string | number | undefined>>
