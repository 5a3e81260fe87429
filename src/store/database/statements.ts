import {
  asValue,
  forGroup,
  forPostgres,
  forSqlite,
  type Given,
  joined,
  NOTHING,
  Query,
  raw,
  sql,
  type Value,
  withLiterals,
} from './sql.ts'
import { type Column, type ColumnOf, columnsOf, type GivenColumnOf, type RowOf, type AnyTable } from './table.ts'

type Cell<T> = T | Query<T> | (null extends T ? undefined : never)

/** Values of some columns. An unknown column, or a value of another type, does not compile. */
export type Cells<T, N extends ColumnOf<T> = ColumnOf<T>> = { readonly [Name in N]: Cell<RowOf<T>[Name]> }

/** A condition: columns that equal these values, or any query. */
export type Condition<T> = Partial<Cells<T>> | Query

interface Insert {
  /** Columns that identify the inserted rows. */
  readonly keys: readonly string[]
  /** True if the insert leaves out a row that breaks a unique index. `rarely`: nearly no row does. */
  readonly unlessThere: boolean | 'rarely'
  /** An insert of the same row that fails if the row exists. */
  readonly asNew: Query | undefined
}

/** A statement that has a second form for a group of operations. */
class Statement<out Row> extends Query<Row> {
  readonly inGroup: (given: Query) => Query
  readonly insert: Insert | undefined
  readonly isUnanswered: boolean

  constructor(
    one: Query,
    inGroup: (given: Query) => Query,
    { insert, isUnanswered = false }: { readonly insert?: Insert; readonly isUnanswered?: boolean } = {},
  ) {
    super(one.pieces)
    this.inGroup = inGroup
    this.insert = insert
    this.isUnanswered = isUnanswered
  }
}

/**
 * Inserts a row. All columns must be named, so the compiler finds each insert that lacks a new column. `unlessThere`: a
 * row that breaks a unique index is left out. `rarely`: nearly no row breaks one.
 */
export function insert<T extends AnyTable, N extends ColumnOf<T> = never>(
  table: T,
  cells: Cells<T, GivenColumnOf<T>>,
  {
    unlessThere = false,
    keys = [],
  }: { readonly unlessThere?: Insert['unlessThere']; readonly keys?: readonly N[] } = {},
): Query<Pick<RowOf<T>, N>> {
  const given = entriesOf(cells)
  const into = sql`INSERT INTO ${table} (${raw(given.map(([name]) => name).join(', '))})`
  const values = joined(
    given.map(([, cell]) => cell),
    ', ',
  )
  const conflict = raw(unlessThere === false ? '' : ' ON CONFLICT DO NOTHING')
  return new Statement(
    // SQLite reports how many rows were stored, which is enough. For a group, RETURNING shows which rows were stored.
    sql`${into} VALUES (${values})${conflict}`,
    (among) =>
      sql`${into} SELECT ${values} FROM ${among} ORDER BY g.g_n${conflict}${returningOf(unlessThere === false ? [] : keys)}`,
    {
      insert: { keys, unlessThere, asNew: unlessThere === false ? undefined : insert(table, cells, { keys }) },
      isUnanswered: unlessThere === false,
    },
  )
}

/** Inserts a whole row, or replaces the row that has the same key. */
export function put<T extends AnyTable>(table: T, keys: readonly ColumnOf<T>[], row: Cells<T>): Query {
  return putSome(table, keys, row)
}

/** Writes some columns of a row. If the key exists, other columns keep their values; in a new row they are null. */
export function putSome<T extends AnyTable, N extends ColumnOf<T>>(
  table: T,
  keys: readonly N[],
  cells: Cells<T, N> & Partial<Cells<T>>,
): Query {
  const given = entriesOf(cells)
  const names = given.map(([name]) => name)
  const others = names.filter((name) => !(keys as readonly string[]).includes(name))
  return sql`
    INSERT INTO ${table} (${raw(names.join(', '))}) VALUES (${joined(
      given.map(([, cell]) => cell),
      ', ',
    )})
    ON CONFLICT (${raw(keys.join(', '))}) DO UPDATE SET ${raw(others.map((name) => `${name} = excluded.${name}`).join(', '))}`
}

export function update<T extends AnyTable, N extends ColumnOf<T> = never>(
  table: T,
  set: Partial<Cells<T>>,
  where: Condition<T>,
  returning: readonly N[] = [],
): Query<Pick<RowOf<T>, N>> {
  const changes = joined(
    entriesOf(set).map(([name, cell]) => sql`${raw(name)} = ${cell}`),
    ', ',
  )
  const [head, end] = [sql`UPDATE ${table} SET ${changes}`, sql` WHERE ${conditionOf(where)}`]
  return new Statement(
    sql`${head}${end}${returningOf(returning)}`,
    (given) => sql`${head} FROM ${given}${end}${returningOf(returning.length === 0 ? [] : ['g.g_n', ...returning])}`,
    { isUnanswered: returning.length === 0 },
  )
}

/** `isUnanswered`: the transaction knows that the row exists, so nobody needs the result. */
export function remove<T extends AnyTable, N extends ColumnOf<T> = never>(
  table: T,
  where: Condition<T>,
  returning: readonly N[] = [],
  { isUnanswered = false } = {},
): Query<Pick<RowOf<T>, N>> {
  const [head, end] = [sql`DELETE FROM ${table}`, sql` WHERE ${conditionOf(where)}`]
  return new Statement(
    sql`${head}${end}${returningOf(returning)}`,
    (given) => sql`${head} USING ${given}${end}${returningOf(isUnanswered ? [] : ['g.g_n', ...returning])}`,
    { isUnanswered },
  )
}

/** Selects columns. `then`: the rest of the query after the condition, such as an order. */
export function select<T extends AnyTable, N extends ColumnOf<T>>(
  columns: readonly N[] | '*',
  table: T,
  where: Condition<T>,
  then: Query = NOTHING,
): Query<Pick<RowOf<T>, N>> {
  const names = columns === '*' ? columnsOf(table) : columns
  return sql`SELECT ${raw(names.join(', '))} FROM ${table} WHERE ${conditionOf(where)} ${then}`
}

/** Selects columns of a table by their names, as the first argument of `grouped`. */
export function pick<T extends AnyTable, N extends ColumnOf<T>>(
  table: T,
  ...names: readonly N[]
): Pick<T, N & keyof T> {
  return Object.fromEntries(names.map((name) => [name, (table as unknown as Record<N, Column>)[name]])) as Pick<
    T,
    N & keyof T
  >
}

function entriesOf(cells: object): readonly (readonly [string, Given | Query])[] {
  return Object.entries(cells)
}

function conditionOf<T>(where: Condition<T>): Query {
  if (where instanceof Query) return where
  const each = entriesOf(where).map(([name, cell]) =>
    cell === null || cell === undefined ? raw(`${name} IS NULL`) : sql`${raw(name)} = ${cell}`,
  )
  return joined(each, ' AND ')
}

function returningOf(names: readonly string[]): Query {
  return raw(names.length === 0 ? '' : ` RETURNING ${names.join(', ')}`)
}

/**
 * Compares a column so that the database uses the row's key and not an index over this column. PostgreSQL misjudges
 * such an index for many rows.
 */
export function notByIndex({ name }: Column, value: number): Query {
  return new Query([{ sqlite: name, postgres: name, group: `+${name}` }, ` = ${value}`])
}

// ── grouped statements ──────────────────────────────────────────────────────────────────────────────────

/** A statement of the ordinary path, which PostgreSQL can run once for many operations. */
export interface Grouped {
  readonly id: number
  readonly statement: Query
  readonly sqlite: string
  readonly postgres: string
  /** The form for many operations, in which each value is a list. */
  readonly many: string
  readonly types: readonly ('bigint' | 'text' | 'bytea')[]
  /** The columns that identify the rows of an insert, each with the position of its value. */
  readonly keys: readonly { readonly name: string; readonly at: number }[] | undefined
  /** The same insert for a row that does not exist. It fails if the row exists, so nobody needs its result. */
  readonly asNew: Grouped | undefined
  readonly isRarelyThere: boolean
  readonly reads: boolean
  /** True if no caller needs the result: the insert stores its row or fails, or the update changes an existing row. */
  readonly isUnanswered: boolean
}

export class GroupedQuery<out Row = unknown> extends Query<Row> {
  readonly grouped: Grouped
  readonly values: readonly Value[]

  constructor(grouped: Grouped, values: readonly Value[]) {
    super(grouped.statement.pieces)
    this.grouped = grouped
    this.values = values
  }

  asNew(): GroupedQuery<Row> {
    return this.grouped.asNew ? new GroupedQuery<Row>(this.grouped.asNew, this.values) : this
  }
}

const TYPES = { integer: 'bigint', text: 'text', bytes: 'bytea' } as const
let groupedStatements = 0

type Params<C> = { readonly [N in keyof C]: C[N] extends Query<infer T> ? Query<T> : never }
type GivenFor<C> = {
  readonly [N in keyof C]: C[N] extends Query<infer T> ? T | (null extends T ? undefined : never) : never
}

/**
 * Declares a grouped statement. `given` names its values, each with the column whose type it has. Two operations of a
 * group never change the same row with it, because operations with a common key run one after the other.
 *
 * @example
 * const BEGIN = grouped({ item: work.item }, ({ item }) => update(work, { place: 1 }, { item }, ['run']))
 * yield BEGIN({ item: 7 })
 */
export function grouped<const C extends Readonly<Record<string, Column>>, Row>(
  given: C,
  build: (params: Params<C>) => Query<Row>,
): (values: GivenFor<C>) => GroupedQuery<Row> {
  const paramsOf = (names: readonly string[]) =>
    Object.fromEntries(names.map((name, nth) => [name, new Query([{ param: nth + 1 }])])) as Params<C>
  // The names in the order in which the statement uses them.
  const all = Object.keys(given)
  const names = paramsIn(build(paramsOf(all))).map((param) => all[param - 1] as string)
  if (new Set(names).size !== all.length || names.length !== all.length)
    throw new Error(`a grouped statement has each of its values once: ${names.join(', ')}`)
  const known = groupedOf(
    build(paramsOf(names)),
    names,
    names.map((name) => TYPES[(given[name] as Column).type.stored]),
  )
  return (values) =>
    new GroupedQuery<Row>(
      known,
      names.map((name) => asValue((values as Readonly<Record<string, Given>>)[name])),
    )
}

function paramsIn({ pieces }: Query): readonly number[] {
  return pieces.flatMap((piece) => (typeof piece === 'object' && 'param' in piece ? [piece.param] : []))
}

function groupedOf(statement: Query, names: readonly string[], types: Grouped['types']): Grouped {
  const numbers = types.map((_, nth) => nth + 1)
  const lists = numbers.map((nth) => `$${nth}::${types[nth - 1]}[]`)
  const among = raw(
    `unnest(${lists.join(', ')}) WITH ORDINALITY AS g(${[...numbers.map((nth) => `p${nth}`), 'g_n'].join(', ')})`,
  )
  const insert = statement instanceof Statement ? statement.insert : undefined
  const many =
    statement instanceof Statement
      ? statement.inGroup(among)
      : sql`SELECT g.g_n, q.* FROM ${among} CROSS JOIN LATERAL (${statement}) AS q`
  const written = withLiterals(statement)
  return {
    id: groupedStatements++,
    statement: written,
    sqlite: forSqlite(written).text,
    postgres: forPostgres(written).text,
    many: forGroup(many),
    types,
    keys: insert?.keys.map((name) => ({ name, at: names.indexOf(name) })),
    isRarelyThere: insert?.unlessThere === 'rarely',
    asNew: insert?.asNew && groupedOf(insert.asNew, names, types),
    reads: !(statement instanceof Statement),
    isUnanswered: statement instanceof Statement && statement.isUnanswered,
  }
}
