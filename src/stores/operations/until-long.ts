import type { Steps, Tx } from './steps.ts'

/** Does something to one row after the other until the transaction is long; the answer counts the rows that it was done to. */
export function* untilLong<Row>(
  tx: Pick<Tx, 'isLong'>,
  rows: readonly Row[],
  each: (row: Row) => Steps<unknown>,
): Steps<number> {
  let done = 0
  for (const row of rows) {
    yield* each(row)
    done++
    if (tx.isLong()) break
  }
  return done
}
