import type { Silence } from './rules/silence.ts'
import type { Query } from './statements/sql.ts'
import type { ColumnTypes, Index } from './statements/tables.ts'

/** Makes the bot silent to customers, by columns that it adds to them. */
export interface Silencer {
  readonly columns: ColumnTypes
  readonly indexes: Readonly<Record<string, Index<string>>>
  /** The columns that are read with each item and each send of a customer. */
  readonly read: readonly string[]
  /** Returns the last silence, which may have ended. */
  silenceIn(row: never): Silence | undefined
  /** The column that has the end of the last silence. */
  readonly until: string
  /** True of a row in which these columns say nothing. */
  readonly isBlank: Query
  /** True of a row in which they say only what was over before that wall time. */
  isOld(before: number): Query
  /** Merges them in two rows of a customer. `latest`: the row with the highest value of a column; the other column breaks a tie. */
  merged(latest: (name: string, tie: string) => Row): Row
}

type Row = Readonly<Record<string, string | number | undefined>>
