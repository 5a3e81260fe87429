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

/** The same, to as many rows at once as the engine has one statement change. */
export function* untilLongTogether<Row>(
  tx: Pick<Tx, 'isLong' | 'together'>,
  rows: readonly Row[],
  some: (rows: readonly Row[]) => Steps<unknown>,
): Steps<number> {
  const groups = Array.from({ length: Math.ceil(rows.length / tx.together) }, (_, index) =>
    rows.slice(index * tx.together, (index + 1) * tx.together),
  )
  const done = yield* untilLong(tx, groups, some)
  return Math.min(rows.length, done * tx.together)
}
