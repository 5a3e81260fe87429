import { NOTHING, Query, sql } from './statements/sql.ts'

export type Work = 'items' | 'sends' | 'features' | 'erasure'

/** A glance counts no further than this. */
export const MOST_COUNTED = 10_000

/**
 * Operations are written once, as generators that yield their statements. SQLite answers each at once, in the commit of the
 * moment. PostgreSQL runs a group side by side: a hot statement that several yield runs once for all.
 */
export type Steps<T> = Generator<Query, T, Answer>

export interface Answer {
  readonly rows: readonly unknown[]
  readonly changes: number
}

export interface Tx {
  readonly situation: Situation
  wake(work: Work): void
  nextId(): number
  isLong(): boolean
  /** Milliseconds for which the operation has waited, if that is long: a lease that it gives ends later by that. */
  readonly waitedMs: number
  /** What follows concerns more than the operation's customers: beside others it ends here, and is done again alone. */
  alone(): void
  /** A customer's row, as it was when this transaction took it: undefined if an operation before this one may have changed it. */
  taken?(customer: string): object | undefined
  /** So is the first item of a lane. */
  first?(lane: string): KnownFirst
}

export type KnownFirst = FirstOfLane | 'free' | undefined

/** Of a customer. */
export interface Known {
  readonly row?: object | undefined
  readonly first?: KnownFirst
}

export interface FirstOfLane {
  readonly lane: string
  readonly item: number
  readonly owner: number | null
  readonly run: number
  readonly place: number
  readonly followed: number
  readonly number: string
  readonly at: number
  readonly burst: number | null
  readonly state: string
}

/** Of the database, as the transaction found it or left it. */
export interface Situation {
  /** The subscriptions of unread deliveries. */
  unread: ReadonlySet<string>
  readonly newerSchema: number | undefined
  /** The id up to which inbox rows came back with a backup, while its sends are held; undefined otherwise. */
  restoredUpto: number | undefined
  process?: { readonly name: string; readonly id: number; readonly dead?: boolean } | undefined
}

/** Operations in the place of a statement, which run side by side where they share no key. */
export class SideBySide extends Query {
  readonly parts: readonly Part[]

  constructor(parts: readonly Part[]) {
    super(NOTHING.pieces)
    this.parts = parts
  }
}

export interface Part {
  /** `isFirst`: no operation before it changes what it reads. */
  begin(isFirst?: boolean): Steps<unknown>
  readonly keys: readonly string[] | undefined
}

/** PostgreSQL asks at once what parts without a common key ask: thousands of rows cost a few round trips. */
export function* sideBySide(parts: readonly Part[]): Steps<void> {
  const [first] = parts
  if (parts.length === 1) yield* first?.begin() as Steps<unknown>
  else if (first) yield new SideBySide(parts)
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

/** The different values of a column: one step into an index for each. `rows`: a table with a condition. */
export function valuesOf(column: Query, rows: Query): Query<{ readonly value: string }> {
  const first = (more: Query) => sql`(SELECT ${column} FROM ${rows} ${more} ORDER BY ${column} LIMIT 1)`
  return sql`
    WITH RECURSIVE found(value) AS (
      SELECT * FROM ${first(NOTHING)} AS first
      UNION ALL SELECT ${first(sql`AND ${column} > found.value`)} FROM found WHERE value IS NOT NULL)
    SELECT value FROM found WHERE value IS NOT NULL`
}

export function nextOfPage<Row>(rows: readonly Row[], limit: number): Row | undefined {
  return rows.length < limit ? undefined : rows.at(-1)
}

/** The row behind which the next portion begins. Fewer rows than `limit` are the last. */
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

/** Some rows at a time, and more each time, so that few round trips suffice. Answers how many were done. */
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

/** Several statements one after the other, in one round trip. */
export function* allTogether<Row>(...queries: readonly Query[]): Steps<readonly (readonly Row[])[]> {
  const answers: (readonly Row[])[] = []
  const parts = queries.map((query, nth) => ({
    keys: [String(nth)],
    *begin(): Steps<void> {
      answers[nth] = yield* all(query as Query<Row>)
    },
  }))
  yield* sideBySide(parts)
  return answers
}

/** For `growingUntilLong`: of rows that need several statements each. */
export const BESIDE = { from: 10, upto: 20 }

const SIDE_BY_SIDE = 16

/** Some parts at a time; false if parts are left, because the transaction is long. */
export function* besideUntilLong(tx: Pick<Tx, 'isLong'>, parts: readonly Part[]): Steps<boolean> {
  const starts = Array.from({ length: Math.ceil(parts.length / SIDE_BY_SIDE) }, (_, nth) => nth * SIDE_BY_SIDE)
  const done = yield* untilLong(tx, starts, (start) => sideBySide(parts.slice(start, start + SIDE_BY_SIDE)))
  return done === starts.length
}
