import type { Work } from '../port/index.ts'

/**
 * Operations of a store are written once, as generators that yield their statements: `function* mute(…): Steps<boolean>`.
 * The engine of a store drives them: SQLite answers each statement at once, inside the commit that all operations of the
 * moment share. Over PostgreSQL, where each is a round trip, those that every delivery needs have a second form beside
 * this one: `stores/postgres/hot`.
 */
export type Steps<T> = Generator<Query, T, Answer>

export interface Tx {
  /** Says that this operation made work; whoever listens is told after the commit. */
  wake(work: Work): void
  /** The next place of the log of contents; a delivery takes that of its bytes for its seq. */
  nextPlace(): number
  takePlace(): void
  /** The schema of a newer release that took the store over; undefined as long as it is ours. */
  newerSchema(): number | undefined
  /** This transaction has taken as long as one may: whoever works through many rows goes on in the next one. */
  isLong(): boolean
  /** So many rows of a list are changed by one statement: where each is a round trip, many; else one, and time is kept. */
  readonly together: number
  /** Milliseconds since the operation was asked for, if that was long ago: a lease that it gives ends later by that. */
  readonly waitedMs: number
}

export interface Answer {
  readonly rows: readonly unknown[]
  readonly changes: number
}

export type Value = string | number | bigint | Uint8Array | null

export class Query {
  readonly text: string
  readonly values: readonly Value[]

  constructor(text: string, values: readonly Value[] = []) {
    this.text = text
    this.values = values
  }
}

/** A value of a placeholder as the app's code has it: absent is NULL, and a condition is 1 or 0. */
type Given = Value | boolean | undefined | Query

const texts = new WeakMap<TemplateStringsArray, string>()

/**
 * Makes a statement of SQL text: `${value}` is a placeholder with its value, and a `Query` is put in as it is. The SQL
 * is the part that both engines understand; `dialect.ts` names the words that they spell differently.
 */
export function sql(parts: TemplateStringsArray, ...given: readonly Given[]): Query {
  const values: Value[] = []
  for (const one of given) {
    if (one instanceof Query) return composed(parts, given)
    values.push(asValue(one))
  }
  let text = texts.get(parts)
  if (text === undefined) texts.set(parts, (text = parts.join('?')))
  return new Query(text, values)
}

const composedTexts = new WeakMap<TemplateStringsArray, Map<string, string>>()

function composed(parts: TemplateStringsArray, given: readonly Given[]): Query {
  const values: Value[] = []
  let inner = ''
  for (const one of given)
    if (one instanceof Query) {
      values.push(...one.values)
      inner += `${one.text}\0`
    } else {
      values.push(asValue(one))
      inner += '?\0'
    }
  const known = composedTexts.get(parts) ?? new Map<string, string>()
  composedTexts.set(parts, known)
  let text = known.get(inner)
  if (text === undefined) {
    const texts = given.map((one) => (one instanceof Query ? one.text : '?'))
    known.set(inner, (text = parts.reduce((before, part, index) => before + texts[index - 1] + part)))
  }
  return new Query(text, values)
}

function asValue(given: Exclude<Given, Query>): Value {
  if (given === undefined) return null
  return typeof given === 'boolean' ? Number(given) : given
}

/** A part of a statement that is only there if a condition holds, such as a filter that somebody asked for. */
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

/** All rows that a statement answers with, named and typed as in the port: NULL is undefined there. */
export function* allAs<Row>(query: Query): Steps<readonly Row[]> {
  const rows = (yield query).rows as readonly Record<string, unknown>[]
  for (const row of rows) for (const name in row) row[name] ??= undefined
  return rows as readonly unknown[] as readonly Row[]
}

export function* oneAs<Row>(query: Query): Steps<Row | undefined> {
  return (yield* allAs<Row>(query))[0]
}

export function* run(query: Query): Steps<number> {
  return (yield query).changes
}

/**
 * The words that engines spell differently. Operations write them in one way, and each engine puts in its own when it
 * prepares a statement:
 *
 * - `greatest(a, b)` and `least(a, b)`: the larger and the smaller of two values;
 * - `position(? IN bytes)`: where bytes begin within others, from 1; 0 if they are not there;
 * - `IN list(?)` and `NOT IN list(?)`: among the members of a JSON list of texts, as in `key IN list(${JSON.stringify(keys)})`;
 *   `numbers(?)`: the same of whole numbers;
 * - `next(sends)`: a `seq` for a send, above all that were given;
 * - `text(?)` and `number(?)`: a value that no column beside it gives a type, as in `number(?) IS NULL`;
 * - `?`: a placeholder.
 */
export interface Dialect {
  readonly greatest: string
  readonly least: string
  readonly list: string
  readonly numbers: string
  readonly isIn: string
  readonly nextSend: string
  readonly text: string
  readonly number: string
  readonly position: string
}

export const SQLITE: Dialect = {
  greatest: 'max',
  least: 'min',
  list: '(SELECT value FROM json_each(?))',
  numbers: '(SELECT value FROM json_each(?))',
  isIn: 'IN $1',
  // Sends that a forgotten customer had may be gone by now, and what comes later is kept.
  nextSend: `1 + max(
    (SELECT coalesce(max(seq), 0) FROM sends), (SELECT coalesce(max(upto), 0) FROM forgotten WHERE what = 'sends'))`,
  text: '?',
  number: '?',
  position: 'instr($1, ?)',
}

/** A list is JSON, in which U+0000 is written out; PostgreSQL has no text that holds it: see `asText`. */
export const POSTGRES: Dialect = {
  greatest: 'greatest',
  least: 'least',
  list: String.raw`(SELECT value FROM json_array_elements_text(replace(?, '\u0000', '\ufffd')::json))`,
  numbers: '(SELECT value::bigint FROM json_array_elements_text(?::json))',
  // Not joined: while nobody has counted a table's rows, a join may have all of them compared with the list.
  isIn: '= ANY (ARRAY$1)',
  // A transaction of the app's may have taken one, and be open for long: nobody waits for it.
  nextSend: "nextval('switchhook.sends_seq')",
  text: '?::text',
  number: '?::bigint',
  position: 'position(? IN $1)',
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
    .replaceAll('next(sends)', () => dialect.nextSend)
    .replaceAll(/\bposition\(\? IN ([\w.]+)\)/g, dialect.position)
}
