import { NOTHING, Query, sql } from './sql.ts'

/**
 * Operations are generators that yield statements. Each is written once for both databases. SQLite answers each
 * statement at once, in the current commit. PostgreSQL runs a group of operations side by side: if several yield the
 * same grouped statement, it runs once for all.
 */
export type Steps<T> = Generator<Query, T, Rows>

export interface Rows {
  readonly rows: readonly unknown[]
  readonly changes: number
}

/** The transaction of an operation. */
export interface Tx {
  readonly databaseState: DatabaseState
  /** Wakes workers after the commit: see `Store.onWork`. */
  wake(work: WorkKind): void
  /** Gives the next id of an inbox row. */
  nextId(): number
  /** True if the transaction takes so long that a long task should end its portion. */
  isLong(): boolean
  /** Milliseconds for which the operation waited; 0 for a short wait. A lease that it gives ends later by as many. */
  readonly waitedMs: number
  /**
   * Requires that the operation runs alone, because the next statements change more than its customers. If others run
   * in the transaction, it is rolled back, and the operation is repeated alone.
   */
  alone(): void
  /**
   * Returns a customer's row as the transaction read it at its beginning; undefined if it did not read it. The method
   * is missing if an earlier operation of the transaction may have changed the row, which then has to be read again.
   */
  customerRow?(lane: string): object | undefined
  /** Like `customerRow`, for the first item of a lane. */
  firstItem?(lane: string): KnownFirst
}

/** `free`: the lane has no item. Undefined: the operation has to read the first item. */
export type KnownFirst = FirstOfLane | 'free' | undefined

/** What the transaction read of a customer when it began. */
export interface KnownCustomer {
  readonly row?: object | undefined
  readonly first?: KnownFirst
}

export type WorkKind = 'items' | 'sends' | 'features' | 'erasure'

export interface FirstOfLane {
  readonly lane: string
  readonly item: number
  readonly owner: number | null
  readonly run: number
  readonly place: number
  readonly followed: number
  readonly number: string
  readonly bundle: number | null
  readonly state: string
}

/** State of the database, as the transaction found it and has changed it. */
export interface DatabaseState {
  /** Subscriptions that have unread deliveries. */
  unread: ReadonlySet<string>
  readonly newerSchema: number | undefined
  /** While sends of a backup are held: the highest id of an inbox row that the backup contained. */
  restoredUpto: number | undefined
  process?: { readonly name: string; readonly id: number; readonly dead?: boolean } | undefined
}

/** A statement that stands for several branches of its operation. Branches without a common key run side by side. */
export class SideBySide extends Query {
  readonly branches: readonly Branch[]

  constructor(branches: readonly Branch[]) {
    super(NOTHING.pieces)
    this.branches = branches
  }
}

/** An operation of a group, or a branch of one. */
export interface Branch {
  /** `nothingBefore`: no earlier operation of the group changes what this one reads. */
  begin(nothingBefore?: boolean): Steps<unknown>
  readonly keys: readonly string[] | undefined
}

/** Runs branches together. On PostgreSQL, thousands of rows then cost a few round trips. */
export function* sideBySide(branches: readonly Branch[]): Steps<void> {
  const [first] = branches
  if (branches.length === 1) yield* first?.begin() as Steps<unknown>
  else if (first) yield new SideBySide(branches)
}

export function* all<Row>(query: Query<Row>): Steps<readonly Row[]> {
  return (yield query).rows as readonly Row[]
}

export function* one<Row>(query: Query<Row>): Steps<Row | undefined> {
  return (yield query).rows[0] as Row | undefined
}

export function* allAs<Row>(query: Query): Steps<readonly Row[]> {
  const rows = (yield query).rows as readonly Record<string, unknown>[]
  for (const row of rows) for (const name in row) row[name] ??= undefined
  return rows as readonly unknown[] as readonly Row[]
}

export function* oneAs<Row>(query: Query): Steps<Row | undefined> {
  return (yield* allAs<Row>(query))[0]
}

export function* execute(query: Query): Steps<number> {
  return (yield query).changes
}

export function* exists(query: Query): Steps<boolean> {
  return (yield query).rows.length > 0
}

/** Lists the different values of a column, with one search in the index for each. `rows`: a table with a condition. */
export function valuesOf(column: Query, rows: Query): Query<{ readonly value: string }> {
  const first = (more: Query) => sql`(SELECT ${column} FROM ${rows} ${more} ORDER BY ${column} LIMIT 1)`
  return sql`
    WITH RECURSIVE found(value) AS (
      SELECT * FROM ${first(NOTHING)} AS first
      UNION ALL SELECT ${first(sql`AND ${column} > found.value`)} FROM found WHERE value IS NOT NULL)
    SELECT value FROM found WHERE value IS NOT NULL`
}

/** An overview counts no further than this. */
export const MOST_COUNTED = 10_000

export function nextOfPage<Row>(rows: readonly Row[], limit: number): Row | undefined {
  return rows.length < limit ? undefined : rows.at(-1)
}

/** Handles rows until the transaction takes long. Returns the last handled one; undefined if no row is left. */
export function* portionOf<Row>(
  tx: Pick<Tx, 'isLong'>,
  rows: readonly Row[],
  limit: number,
  each: (row: Row) => Steps<unknown>,
): Steps<Row | undefined> {
  const done = yield* untilLong(tx, rows, each)
  return done < rows.length ? rows[done - 1] : nextOfPage(rows, limit)
}

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

/** Handles some rows at a time, and each time more, which saves round trips. Returns how many were handled. */
export function* growingUntilLong<Row>(
  tx: Pick<Tx, 'isLong'>,
  rows: readonly Row[],
  { from, upto = Infinity }: { readonly from: number; readonly upto?: number },
  some: (rows: readonly Row[]) => Steps<unknown>,
): Steps<number> {
  let done = 0
  for (let size = from; done < rows.length; size = Math.min(upto, 2 * size)) {
    yield* some(rows.slice(done, done + size))
    done = Math.min(rows.length, done + size)
    if (tx.isLong()) break
  }
  return done
}

/** Runs steps side by side, and returns their results. No step may change what another one reads. */
export function* together<Results extends readonly unknown[]>(
  ...each: { readonly [Nth in keyof Results]: () => Steps<Results[Nth]> }
): Steps<Results> {
  const results: unknown[] = []
  const branches = each.map((steps, nth) => ({
    keys: [],
    *begin(): Steps<void> {
      results[nth] = yield* steps()
    },
  }))
  yield* sideBySide(branches)
  return results as readonly unknown[] as Results
}

/** Sends several statements in one round trip. They run in order. */
export function allTogether<Row>(...queries: readonly Query[]): Steps<readonly (readonly Row[])[]> {
  return together(...queries.map((query) => () => all(query as Query<Row>)))
}

/** Runs some branches at a time, until the transaction takes long. Returns how many have ended. */
export function sideBySideUntilLong(tx: Pick<Tx, 'isLong'>, branches: readonly Branch[]): Steps<number> {
  return growingUntilLong(tx, branches, { from: 10, upto: 20 }, sideBySide)
}
