import type { Work } from './types/types.ts'

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

export type Value = string | number | bigint | Uint8Array | null

type Given = Value | boolean | undefined

export class Query {
  readonly text: string
  readonly values: readonly Value[]
  readonly hot: Hot | undefined

  constructor(text: string, values: readonly Value[] = [], hot?: Hot) {
    this.text = text
    this.values = values
    this.hot = hot
  }
}

/** Operations in the place of a statement, which run side by side where they share no key. */
export class SideBySide extends Query {
  readonly parts: readonly Part[]

  constructor(parts: readonly Part[]) {
    super('')
    this.parts = parts
  }
}

export interface Part {
  begin(): Steps<unknown>
  readonly keys: readonly string[] | undefined
}

/** PostgreSQL asks at once what parts without a common key ask: thousands of rows cost a few round trips. */
export function* sideBySide(parts: readonly Part[]): Steps<void> {
  const [first] = parts
  if (parts.length === 1) yield* first?.begin() as Steps<unknown>
  else if (first) yield new SideBySide(parts)
}

// ── hot statements ──────────────────────────────────────────────────────────────────────────────────

/** A statement of the ordinary path. Its parameters are typed, so that PostgreSQL can run it for many operations at once. */
export interface Hot {
  readonly id: number
  readonly text: string
  readonly types: readonly ('bigint' | 'text' | 'bytea')[]
  readonly forMany: string
}

const TYPES = { i: 'bigint', t: 'text', b: 'bytea' } as const
let hotStatements = 0

/**
 * Declares a hot statement: `?i`, `?t` and `?b` are whole numbers, texts and bytes. It is one of
 *
 * - `INSERT INTO table (columns) VALUES (…) [ON CONFLICT …] RETURNING key, …`: `key` is a column that tells its rows
 *   apart, and is given as the first value;
 * - `UPDATE table SET … WHERE … [RETURNING …]` and `DELETE FROM table WHERE … [RETURNING …]`, each for one row: one that
 *   returns nothing is not waited for;
 * - `SELECT …`.
 *
 * Two operations of a group never name the same row in it: the driver sees to that by their keys.
 */
export function hot(declared: string): (...values: Given[]) => Query {
  const text = declared.trim().replaceAll(/\s+/g, ' ')
  const types = [...text.matchAll(/\?([itb])/g)].map(([, type]) => TYPES[type as keyof typeof TYPES])
  const statement: Hot = {
    id: hotStatements++,
    text: text.replaceAll(/\?[itb]/g, '?'),
    types,
    forMany: forMany(text, types),
  }
  return (...values) => new Query(statement.text, values.map(asValue), statement)
}

function forMany(text: string, types: Hot['types']): string {
  let next = 0
  // By the row's key, and not by the index over all rows that are first of their lanes.
  const named = text.replaceAll(/\?[itb]/g, () => `g.p${++next}`).replaceAll(' AND place = 1', ' AND +place = 1')
  const lists = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')
  const names = [...types.map((_, index) => `p${index + 1}`), 'g_n'].join(', ')
  const given = `unnest(${lists}) WITH ORDINALITY AS g(${names})`
  if (named.startsWith('INSERT')) {
    // The key is the first column and the first value.
    return named.replace(
      /VALUES \((.*?)\)(?= ON CONFLICT| RETURNING|$)/,
      (_, row: string) => `SELECT ${row} FROM ${given} ORDER BY g.g_n`,
    )
  }
  const returning = (part: string) =>
    part.includes(' RETURNING ') ? part.replace(' RETURNING ', ' RETURNING g.g_n, ') : `${part} RETURNING g.g_n`
  if (named.startsWith('UPDATE')) {
    const update = named.replace(' WHERE ', ` FROM ${given} WHERE `)
    return isUnanswered(named) ? update : returning(update)
  }
  if (named.startsWith('DELETE')) return returning(named.replace(' WHERE ', ` USING ${given} WHERE `))
  return `SELECT g.g_n, q.* FROM ${given} CROSS JOIN LATERAL (${named}) AS q`
}

/** An insert that stores its row or fails says nothing, and an update of a row that is there need not. */
export function isUnanswered(text: string): boolean {
  if (text.startsWith('UPDATE')) return !text.includes(' RETURNING ')
  return text.startsWith('INSERT') && !text.includes(' ON CONFLICT ')
}

// ── all other statements ────────────────────────────────────────────────────────────────────────────

const texts = new WeakMap<TemplateStringsArray, string>()

/** `${value}` is a placeholder; a `Query` is inserted as a part. See `Dialect` for words that engines spell differently. */
export function sql(parts: TemplateStringsArray, ...given: readonly (Given | Query)[]): Query {
  const values: Value[] = []
  for (const one of given) {
    if (one instanceof Query) return composed(parts, given)
    values.push(asValue(one))
  }
  let text = texts.get(parts)
  if (text === undefined) texts.set(parts, (text = parts.join('?')))
  return new Query(text, values)
}

function composed(parts: TemplateStringsArray, given: readonly (Given | Query)[]): Query {
  const values: Value[] = []
  const text = parts.reduce((before, part, index) => {
    const one = given[index - 1]
    if (one instanceof Query) values.push(...one.values)
    else values.push(asValue(one))
    return before + (one instanceof Query ? one.text : '?') + part
  })
  return new Query(text, values)
}

function asValue(given: Given): Value {
  if (given === undefined) return null
  return typeof given === 'boolean' ? Number(given) : given
}

export function when(condition: boolean, part: () => Query): Query {
  return condition ? part() : NOTHING
}

const NOTHING = new Query('')

export function* all<Row>(query: Query): Steps<readonly Row[]> {
  return (yield query).rows as readonly Row[]
}

export function* one<Row>(query: Query): Steps<Row | undefined> {
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
export function valuesOf(column: Query, rows: Query): Query {
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
      answers[nth] = yield* all<Row>(query)
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

/**
 * Words that engines spell differently. Operations write them in one way:
 *
 * - `greatest(a, b)` and `least(a, b)`: the larger and the smaller of two values;
 * - `position(? IN bytes)`: where bytes begin within others, from 1; 0 if they are not there;
 * - `IN list(?)` and `NOT IN list(?)`: among the members of a JSON list of texts; `numbers(?)`: of whole numbers;
 * - `rows(?)`: a JSON list of pairs as a table of numbers and customers, in the order `nth`;
 * - `next(sends)`: a `seq` for a send, above all that were given;
 * - `unlocked()`, at the end: without the rows that a transaction of the app's is moving, which may stay open for long;
 * - `text(?)` and `number(?)`: a value that no column beside it gives a type;
 * - `database_version()`: differs once anything was committed, by this process or another.
 */
export type Dialect = typeof SQLITE

export const SQLITE = {
  greatest: 'max',
  least: 'min',
  list: '(SELECT value FROM json_each(?))',
  numbers: '(SELECT value FROM json_each(?))',
  rows: '(SELECT value ->> 0 AS number, value ->> 1 AS customer, key AS nth FROM json_each(?))',
  isIn: 'IN $1',
  nextSend: `1 + max(
    (SELECT coalesce(max(seq), 0) FROM sends),
    coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'last_send'), 0))`,
  unlocked: '',
  text: '?',
  number: '?',
  position: 'instr($1, ?)',
  version: "(total_changes() || ' ' || (SELECT data_version FROM pragma_data_version))",
}

/** A list is JSON, in which U+0000 is written out; PostgreSQL has no text that holds it: see `asText`. */
export const POSTGRES: Dialect = {
  greatest: 'greatest',
  least: 'least',
  list: String.raw`(SELECT value FROM json_array_elements_text(replace(?, '\u0000', '\ufffd')::json))`,
  numbers: '(SELECT value::bigint FROM json_array_elements_text(?::json))',
  rows: `(SELECT value ->> 0 AS number, value ->> 1 AS customer, nth
    FROM json_array_elements(?::json) WITH ORDINALITY AS pairs (value, nth))`,
  // Not joined: before a table's rows were counted, a join may compare all of them with the list.
  isIn: '= ANY (ARRAY$1)',
  // A transaction of the app's may have taken one and stay open for long: nothing waits for it.
  nextSend: "nextval('switchhook.sends_seq')",
  unlocked: 'FOR UPDATE SKIP LOCKED',
  text: '?::text',
  number: '?::bigint',
  position: 'position(? IN $1)',
  version: 'pg_current_snapshot()::text',
}

export function spell(text: string, dialect: Dialect): string {
  return text
    .replaceAll(/\bgreatest\(/g, `${dialect.greatest}(`)
    .replaceAll(/\bleast\(/g, `${dialect.least}(`)
    .replaceAll(/\btext\(\?\)/g, () => dialect.text)
    .replaceAll(/\bnumber\(\?\)/g, () => dialect.number)
    .replaceAll(/(?<!NOT )\bIN (list|numbers)\(\?\)/g, (_, of: 'list' | 'numbers') =>
      dialect.isIn.replace('$1', () => dialect[of]),
    )
    .replaceAll('list(?)', () => dialect.list)
    .replaceAll('numbers(?)', () => dialect.numbers)
    .replaceAll('unlocked()', () => dialect.unlocked)
    .replaceAll('rows(?)', () => dialect.rows)
    .replaceAll('next(sends)', () => dialect.nextSend)
    .replaceAll('database_version()', () => dialect.version)
    .replaceAll(/\bposition\(\? IN ([\w.]+)\)/g, dialect.position)
}
