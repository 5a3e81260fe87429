import { joined, type Query, sql, when } from './sql.ts'
import { sideBySideUntilLong, type Steps, type Tx } from './steps.ts'

/** The key of the last row that was read; empty at the beginning. */
export type At = readonly (number | string)[]

export type OldRow = Readonly<Record<string, number | string>>

/** How pruning finds old rows among many that stay. */
export interface Search {
  readonly key: readonly string[]
  /** Selects rows in the order of their keys. The column `old` is 1 for an old row. */
  rows(before: number, at: At): Query
  /** Removes old rows, after it has checked again that they are old. */
  remove(tx: Tx, old: readonly OldRow[], before: number): Steps<number>
}

export function afterKey(key: Query, at: At): Query {
  return when(at.length > 0, () => sql`AND (${key}) > (${joined(at, ', ')})`)
}

export const oldOr0 = (condition: Query) => sql`CASE WHEN ${condition} THEN 1 ELSE 0 END AS old`

/** Removes each row by its own statements, several rows side by side. */
export const eachSideBySide =
  (each: (old: OldRow, before: number) => Steps<void>) => (tx: Tx, old: readonly OldRow[], before: number) =>
    sideBySideUntilLong(
      tx,
      old.map((row, nth) => ({ keys: [String(nth)], begin: () => each(row, before) })),
    )
