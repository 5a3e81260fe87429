import { createHash } from 'node:crypto'
import { forPostgres, type Query, type Value } from '../database/sql.ts'
import { type Grouped, GroupedQuery } from '../database/statements.ts'
import { type Rows, type Steps } from '../database/steps.ts'
import { DatabaseFault, isOfConnection, isOfNames, isServers } from './server-faults.ts'
import { type DriverClient, endPeriod, isOutdated, type PostgresPool } from './pool.ts'

export interface Connection {
  drive<T>(steps: Steps<T>, o?: { readonly long?: boolean }): Promise<T>
  /**
   * Runs statements. A grouped statement of several operations runs once for all. All statements take one round trip if
   * the connection can send a statement before the earlier one is answered.
   */
  ask(together: readonly (readonly Query[])[]): Promise<readonly (readonly Rows[])[]>
  /** Runs texts and grouped statements in one round trip. The plan of a text with values is kept. */
  run(...statements: readonly Statement[]): Promise<readonly (readonly Rows[])[]>
  /**
   * Commits, together with statements whose answers are not needed. @throws DatabaseFault if it was rolled back,
   * `LostCommit` if the outcome is unknown.
   */
  commit(rest: readonly (readonly Query[])[], ...statements: readonly Given[]): Promise<void>
  /** Runs statements without values in one round trip. Returns the last one's rows. `long`: it may take hours. */
  script(text: string, o?: { readonly long?: boolean }): Promise<readonly unknown[]>
  release(): void
  destroy(): void
}

export class LostCommit extends Error {}

export interface Given {
  readonly text: string
  readonly values: readonly unknown[]
}

type Statement = string | Given | readonly Query[]

interface Result {
  readonly rows: readonly unknown[]
  readonly rowCount: number | null
  readonly command?: string
}

/** How long a statement waits for its answer. The server's own time-outs are shorter. */
const ANSWER_MS = 10_000

export async function openConnection(pool: PostgresPool): Promise<Connection> {
  return new OpenConnection(pool, await pool.connect())
}

class OpenConnection implements Connection {
  readonly #pool: PostgresPool
  readonly #client: DriverClient
  #hasEnded = false
  #broken: DatabaseFault | undefined

  constructor(pool: PostgresPool, client: DriverClient) {
    this.#pool = pool
    this.#client = client
    // A connection that breaks between two statements emits an event, which would end the process without a listener.
    client.on('error', ignore)
  }

  async drive<T>(steps: Steps<T>, { long = false } = {}): Promise<T> {
    let step = steps.next()
    while (!step.done) step = steps.next(await this.#askOne(step.value, long))
    return step.value
  }

  ask(together: readonly (readonly Query[])[]): Promise<readonly (readonly Rows[])[]> {
    return this.#each(together.map((queries) => this.#prepareAll(queries)))
  }

  run(...statements: readonly Statement[]): Promise<readonly (readonly Rows[])[]> {
    return this.#each(statements.map((statement) => this.#prepare(statement)))
  }

  async commit(rest: readonly (readonly Query[])[], ...statements: readonly Given[]): Promise<void> {
    let fault: unknown
    const before = [...rest, ...statements].map((statement) => {
      const ask = this.#prepare(statement)
      // After the first error the server refuses all other statements, so only the first error is kept.
      return async () => void (await ask().catch((error: unknown) => (fault ??= error)))
    })
    let commit: unknown
    const end = async () => {
      const query = { text: 'COMMIT' }
      commit = await this.#answer(query).catch((error: unknown) => new LostCommit('', { cause: error }))
    }
    await this.#each([...before, end])
    if (isServers(fault)) throw fault
    if (commit instanceof LostCommit) throw commit
    const { command } = commit as Result
    // The server answers COMMIT with ROLLBACK after an error, or if it has already ended the transaction.
    if (command === 'ROLLBACK') throw fault ?? new DatabaseFault(new Error('it was rolled back'))
  }

  async script(text: string, { long = false } = {}): Promise<readonly unknown[]> {
    const results = [await this.#answer({ text, types: TYPES }, long)].flat() as readonly Result[]
    return results.findLast(({ rows }) => rows.length > 0)?.rows ?? []
  }

  release(): void {
    this.#end(isOutdated(this.#client))
  }

  destroy(): void {
    this.#end(true)
  }

  #end(destroy: boolean): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    // The listener stays on a connection that was ended, because it may break later.
    if (!destroy) this.#client.removeListener('error', ignore)
    this.#client.release(destroy)
    // `release` alone ends a pipelining connection only when all its statements are answered.
    if (destroy) this.#client.connection?.stream.destroy()
  }

  /** Throws before anything is sent if a value cannot be written. */
  #prepare(statement: Statement): () => Promise<readonly Rows[]> {
    if (typeof statement === 'string') return async () => [{ rows: await this.script(statement), changes: 0 }]
    if (!('text' in statement)) return this.#prepareAll(statement)
    return async () => [rowsOf(await this.#askKept(statement.text, statement.values))]
  }

  #prepareAll(queries: readonly Query[]): () => Promise<readonly Rows[]> {
    if (queries.length === 0) return async () => []
    if (!areGrouped(queries)) return () => Promise.all(queries.map((query) => this.#askOne(query)))
    const [{ grouped, values }] = queries
    const isSame = (other: GroupedQuery) => other.values.every((value, index) => value === values[index])
    if (queries.length > 1 && !(grouped.reads && queries.every(isSame))) {
      const lists = listsOf(grouped.types, queries)
      return () => this.#askTogether(grouped, queries, lists)
    }
    return async () => {
      const answered = rowsOf(await this.#askKept(grouped.postgres, values.map(asGiven)))
      return queries.map(() => answered)
    }
  }

  async #askTogether(
    grouped: Grouped,
    queries: readonly GroupedQuery[],
    lists: readonly Buffer[],
  ): Promise<readonly Rows[]> {
    const { rows } = await this.#askKept(grouped.many, lists)
    return grouped.isUnanswered ? queries.map(() => STORED) : rowsOfEach(grouped, queries, rows)
  }

  /** Sends all at once if the client pipelines. Another client refuses a second statement before the first answer. */
  async #each<T>(questions: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
    if (this.#client.pipeline === true) {
      const stream = this.#client.connection?.stream
      // All statements are sent in one write.
      stream?.cork()
      const answers = Promise.all(questions.map((question) => question()))
      stream?.uncork()
      return answers
    }
    const answers: T[] = []
    for (const question of questions) answers.push(await question())
    return answers
  }

  async #askOne(query: Query, long = false): Promise<Rows> {
    return rowsOf((await this.#answer(asked(query), long)) as Result)
  }

  async #askKept(text: string, values: readonly unknown[]): Promise<Result> {
    try {
      return (await this.#answer({ ...named(this.#pool, text), values, types: TYPES })) as Result
    } catch (error) {
      if (isOfNames(error)) nameless.add(this.#pool)
      throw error
    }
  }

  async #answer(query: object, long = false): Promise<Result | readonly Result[]> {
    if (this.#broken) throw this.#broken
    try {
      return (await this.#client.query(long ? query : { ...query, query_timeout: ANSWER_MS })) as Result
    } catch (error) {
      const fault = new DatabaseFault(error)
      if (isOfConnection(fault)) {
        this.#broken = fault
        endPeriod(this.#client)
      }
      throw fault
    }
  }
}

export async function askServer<Row>(pool: PostgresPool, text: string): Promise<Row> {
  const connection = await openConnection(pool)
  try {
    const [row] = (await connection.script(text)) as readonly [Row]
    connection.release()
    return row
  } catch (error) {
    connection.destroy()
    throw error
  }
}

const STORED: Rows = { rows: [], changes: 1 }

function ignore(): void {}

export function rowsOf({ rows, rowCount }: Result): Rows {
  return { rows, changes: rowCount ?? 0 }
}

/** Writes a statement for the driver. `qualified`: for the app's own transaction. */
export function asked(query: Query, o?: { readonly qualified: boolean }) {
  const { text, values } = forPostgres(query, o)
  const given = query instanceof GroupedQuery ? query.values : values
  return { text, values: given.map(asGiven), types: TYPES }
}

function asGiven(value: Value | readonly Value[]): unknown {
  if (typeof value === 'string') return asText(value)
  return Array.isArray(value) ? value.map(asGiven) : value
}

/** Replaces U+0000, which PostgreSQL cannot store, by U+FFFD. Without the character two keys could be equal. */
export function asText(value: string): string {
  return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

// ── grouped statements ──────────────────────────────────────────────────────────────────────────────────

function areGrouped(queries: readonly Query[]): queries is readonly [GroupedQuery, ...GroupedQuery[]] {
  return queries[0] instanceof GroupedQuery
}

function rowsOfEach({ keys }: Grouped, queries: readonly GroupedQuery[], rows: readonly unknown[]): readonly Rows[] {
  // The rows of an insert are returned in the order of its values.
  if (keys && rows.length === queries.length) return rows.map((row) => ({ rows: [row], changes: 1 }))
  const found = queries.map((): unknown[] => [])
  const indexOf =
    keys && new Map(queries.map(({ values }, index) => [keyOf(keys.map(({ at }) => values[at] as Value)), index]))
  for (const row of rows as readonly Record<string, Value>[]) {
    const index =
      keys && indexOf ? indexOf.get(keyOf(keys.map(({ name }) => row[name] as Value))) : Number(row['g_n']) - 1
    if (index !== undefined) found[index]?.push(row)
  }
  return found.map((its) => ({ rows: its, changes: its.length }))
}

function keyOf(values: readonly Value[]): string {
  return values.map((value) => asText(String(value))).join('\0')
}

const OIDS = { text: 25, bigint: 20, bytea: 17 } as const
/** An array begins with dimensions, a flag for NULL, the type, the length of the one dimension and its first index. */
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const LONGEST_CHARACTER_BYTES = 3
const NUMBER_BYTES = 8
const TWO_TO_32 = 2 ** 32

const SCRATCH_BYTES = 262_144
let scratch = Buffer.allocUnsafe(SCRATCH_BYTES)

/**
 * Writes lists in PostgreSQL's binary form, because parsing texts would cost the server as much as updating an index. A
 * list of only NULLs is sent as an empty list.
 */
function listsOf(types: Grouped['types'], queries: readonly GroupedQuery[]): readonly Buffer[] {
  let at = 0
  const ends = types.map((type, nth) => {
    const isEmpty = nth > 0 && queries.every(({ values }) => values[nth] === null)
    at = roomAt(at, HEADER_BYTES)
    at = scratch.writeInt32BE(isEmpty ? 0 : 1, at)
    at = scratch.writeInt32BE(1, at)
    at = scratch.writeInt32BE(OIDS[type], at)
    if (isEmpty) return at
    at = scratch.writeInt32BE(queries.length, at)
    at = scratch.writeInt32BE(1, at)
    for (const { values } of queries) at = write(at, values[nth] as Value)
    return at
  })
  const all = Buffer.from(scratch.subarray(0, at))
  if (scratch.length > SCRATCH_BYTES) scratch = Buffer.allocUnsafe(SCRATCH_BYTES)
  return ends.map((end, nth) => all.subarray(ends[nth - 1] ?? 0, end))
}

function roomAt(at: number, bytes: number): number {
  if (at + bytes > scratch.length) scratch = Buffer.concat([scratch], 2 * (at + bytes))
  return at
}

function write(at: number, value: Value): number {
  const start = at + LENGTH_BYTES
  if (typeof value === 'string') {
    roomAt(start, LONGEST_CHARACTER_BYTES * value.length)
    const length = scratch.write(asText(value), start)
    scratch.writeInt32BE(length, at)
    return start + length
  }
  roomAt(start, NUMBER_BYTES)
  if (value === null) return scratch.writeInt32BE(-1, at)
  if (typeof value === 'object') {
    roomAt(start, value.length)
    scratch.set(value, start)
    scratch.writeInt32BE(value.length, at)
    return start + value.length
  }
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${number} is no whole number`)
  scratch.writeInt32BE(NUMBER_BYTES, at)
  scratch.writeInt32BE(Math.floor(number / TWO_TO_32), start)
  // The lower 32 bits. This is also right for a negative number.
  return scratch.writeUInt32BE(number >>> 0, start + 4)
}

// ── types and names ─────────────────────────────────────────────────────────────────────────────────

/** Types of whole numbers that are read as numbers: all are times, counts and ids below 2^53. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 1700])
const BYTEA = 17
const BOOL = 16

/** Parsers of the types that operations know. Parsers that the app has set for its own tables have no effect here. */
const TYPES = {
  getTypeParser(type: number) {
    if (NUMBERS.has(type)) return Number
    if (type === BYTEA) return (value: string) => Buffer.from(value.slice(2), 'hex')
    return type === BOOL ? (value: string) => value === 't' : String
  },
}

const names = new Map<string, string>()

/**
 * Pools whose connections keep no prepared statements, because they are behind a pooler, or have plans of altered
 * tables.
 */
const nameless = new WeakSet<PostgresPool>()

/**
 * Names a statement, so that the connection keeps its plan: planning costs as much as running. The name is made of the
 * text, so no other statement has it.
 */
function named(pool: PostgresPool, text: string): { readonly name?: string; readonly text: string } {
  if (nameless.has(pool)) return { text }
  let name = names.get(text)
  if (name === undefined) names.set(text, (name = createHash('sha256').update(text).digest('base64url')))
  return { name, text }
}
