/**
 * A statement is data: texts, values and words (see `Word`). A driver writes it out for its database. Nothing parses
 * the text of a statement.
 */
export type Value = string | number | bigint | Uint8Array | null

export type Given = Value | boolean | undefined

/**
 * A text that the databases spell differently. `group`: PostgreSQL's spelling in a statement for many operations.
 * `qualified`: its spelling in the app's own transaction, which has another search path.
 */
export interface Word {
  readonly sqlite: string
  readonly postgres: string
  readonly group?: string
  readonly qualified?: string
}

/** A value of a grouped statement, by its position from 1. The value is given when the statement runs. */
export interface Param {
  readonly param: number
}

interface Bound {
  readonly value: Value
}

export type Piece = string | Word | Param | Bound

/**
 * A statement that returns rows of the type `T`. Parts of statements are queries too, and `T` is the type of their
 * value.
 */
export class Query<out T = unknown> {
  readonly pieces: readonly Piece[]
  declare protected readonly answers: T

  constructor(pieces: readonly Piece[]) {
    this.pieces = pieces
  }
}

/**
 * Builds a statement from a template. A value is bound; a `Query`, such as a table or a column, becomes part of the
 * text. A part without a type fits every column.
 */
export function sql<T = never>(texts: TemplateStringsArray, ...given: readonly (Given | Query)[]): Query<T> {
  const pieces: Piece[] = []
  if (texts[0]) pieces.push(texts[0])
  for (let nth = 0; nth < given.length; nth++) {
    append(pieces, given[nth])
    const text = texts[nth + 1]
    if (text) pieces.push(text)
  }
  return new Query(pieces)
}

function append(pieces: Piece[], one: Given | Query): void {
  if (one instanceof Query) for (const piece of one.pieces) pieces.push(piece)
  else pieces.push({ value: asValue(one) })
}

export function asValue(given: Given): Value {
  if (given === undefined) return null
  return typeof given === 'boolean' ? Number(given) : given
}

/** Makes a part of a statement from a text. Never pass a value in it, because nothing is escaped. */
export function raw<T = never>(text: string): Query<T> {
  return new Query(text === '' ? [] : [text])
}

export const NOTHING: Query<never> = new Query([])

export function when(condition: boolean, part: () => Query): Query {
  return condition ? part() : NOTHING
}

export function joined(parts: readonly (Given | Query)[], separator: string): Query {
  const pieces: Piece[] = []
  parts.forEach((part, nth) => {
    if (nth > 0) pieces.push(separator)
    append(pieces, part)
  })
  return new Query(pieces)
}

export function word(sqlite: string, postgres: string): Query {
  return new Query([{ sqlite, postgres }])
}

// ── the text of a query ─────────────────────────────────────────────────────────────────────────────

export interface Written {
  readonly text: string
  readonly values: readonly Value[]
}

/**
 * How a value is written on SQLite. The driver makes SQLite plan a query again for each new value, which takes many
 * times as long as the query. If a unary plus precedes the value, SQLite keeps the plan.
 */
const STABLE_PLAN = '+?'

export function forSqlite({ pieces }: Query): Written {
  let text = ''
  const values: Value[] = []
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else if ('sqlite' in piece) text += piece.sqlite
    else {
      text += STABLE_PLAN
      if ('value' in piece) values.push(piece.value)
    }
  }
  return { text, values }
}

/** Writes a statement for PostgreSQL. `qualified`: its tables are named with their schema. */
export function forPostgres({ pieces }: Query, { qualified = false } = {}): Written {
  let text = ''
  const values: Value[] = []
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else if ('postgres' in piece) text += (qualified && piece.qualified) || piece.postgres
    else if ('value' in piece) text += `$${values.push(piece.value)}`
    else text += `$${piece.param}`
  }
  return { text, values }
}

/** Writes a statement for a group. A parameter becomes a column of the table `g`, which has a row per operation. */
export function forGroup({ pieces }: Query): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece
      if ('postgres' in piece) return piece.group ?? piece.postgres
      return 'param' in piece ? `g.p${piece.param}` : literal(piece.value)
    })
    .join('')
}

/** Writes the values into the text of a statement, so that it can be prepared once. */
export function withLiterals({ pieces }: Query): Query {
  return new Query(
    pieces.map((piece) => (typeof piece === 'object' && 'value' in piece ? literal(piece.value) : piece)),
  )
}

function literal(value: Value): string {
  if (value === null || typeof value === 'number') return String(value ?? 'NULL')
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  throw new TypeError('a statement that is prepared once has texts and numbers')
}

// ── words ───────────────────────────────────────────────────────────────────────────────────────────

export const GREATEST = word('max', 'greatest')
export const LEAST = word('min', 'least')

const IN_TEXTS = word(
  'IN (SELECT value FROM json_each(',
  // The list is not joined: while the server has no statistics of a table, a join may compare all its rows with the
  // list.
  '= ANY (ARRAY(SELECT value FROM json_array_elements_text(replace(',
)
/** JSON can contain U+0000, which PostgreSQL cannot store in a text. It is replaced here, as in `asText`. */
const END_OF_TEXTS = word('))', String.raw`, '\u0000', '\ufffd')::json)))`)
const IN_NUMBERS = word(
  'IN (SELECT value FROM json_each(',
  '= ANY (ARRAY(SELECT value::bigint FROM json_array_elements_text(',
)
const END_OF_NUMBERS = word('))', '::json)))')

/** A table of one column with these numbers. */
const numbersOf = (numbers: Iterable<number>): Query =>
  sql`${word('(SELECT value FROM json_each(', '(SELECT value::bigint FROM json_array_elements_text(')}${JSON.stringify([...numbers])}${word('))', '::json))')}`

/** A condition that follows a column: it equals one of these texts. */
export const inTexts = (texts: Iterable<string>): Query => sql`${IN_TEXTS}${JSON.stringify([...texts])}${END_OF_TEXTS}`
/** A condition that follows a column: it equals one of these whole numbers. */
export const inNumbers = (numbers: Iterable<number>): Query =>
  sql`${IN_NUMBERS}${JSON.stringify([...numbers])}${END_OF_NUMBERS}`

export const notInNumbers = (numbers: Iterable<number>): Query => sql`NOT IN ${numbersOf(numbers)}`

const PAIRS = word(
  '(SELECT value ->> 0 AS number, value ->> 1 AS customer, key AS nth FROM json_each(',
  '(SELECT value ->> 0 AS number, value ->> 1 AS customer, nth FROM json_array_elements(',
)
const END_OF_PAIRS = word('))', '::json) WITH ORDINALITY AS pairs (value, nth))')

/** A table of numbers and customers, with their order as `nth`. */
export const customersTable = (who: readonly (readonly [number: string, customer: string])[]): Query =>
  sql`${PAIRS}${JSON.stringify(who)}${END_OF_PAIRS}`

const AS_TEXT = word('', '::text')
const AS_NUMBER = word('', '::bigint')

/** A text with its type, because PostgreSQL cannot derive the type without a column beside the value. */
export const textValue = (value: string | null | undefined): Query => sql`${value}${AS_TEXT}`
export const numberValue = (value: number | null | undefined): Query => sql`${value}${AS_NUMBER}`

const WHOLE = word('INTEGER', 'bigint')

export const asWhole = (part: Query): Query => sql`CAST(${part} AS ${WHOLE})`

/** The position in a column at which these bytes begin, from 1; 0 if the column does not contain them. */
export const positionIn = (bytes: Uint8Array, column: string): Query =>
  sql`${word(`instr(${column}, `, 'position(')}${bytes}${word(')', ` IN ${column})`)}`

/** The end of a query that skips rows which the app's own transaction has locked, perhaps for long. */
export const SKIPPING_LOCKED = word('', 'FOR UPDATE SKIP LOCKED')

/** A new `seq` for a send, higher than all that were given. */
export const NEXT_SEND: Query<number> = new Query([
  {
    sqlite: `1 + max(
      (SELECT coalesce(max(seq), 0) FROM sends),
      coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'last_send'), 0))`,
    // A sequence: nobody waits for an app's own transaction that took a number and stays open.
    postgres: "nextval('switchhook.sends_seq')",
  },
])

/** The version of the database. It differs if this process or another one has committed anything since. */
export const DATABASE_VERSION = word(
  "(total_changes() || ' ' || (SELECT data_version FROM pragma_data_version))",
  'pg_current_snapshot()::text',
)
