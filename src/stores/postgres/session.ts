import { createHash } from 'node:crypto'
import { type Answer, POSTGRES, type Query, spell, type Steps, type Value } from '../operations/steps.ts'
import { DatabaseFault, forgotten, outdated } from './faults.ts'
import type { DriverClient, PostgresPool } from './pool.ts'

export interface Session {
  /** Drives an operation: each of its statements is a round trip. `long`: each may take minutes, and is waited for. */
  drive<T>(steps: Steps<T>, o?: { readonly long?: boolean }): Promise<T>
  /**
   * Runs one statement in PostgreSQL's own words, whose values may be lists; the answer is its rows. The connection keeps
   * its plan, so it is one of a few.
   */
  rows<Row>(text: string, values: readonly (Value | readonly Value[])[]): Promise<readonly Row[]>
  /**
   * Runs statements without values in one round trip; the answer is the rows of the last that has any. `long`: it may take
   * hours, as an index of a large table does, and is waited for.
   */
  script(text: string, o?: { readonly long?: boolean }): Promise<readonly unknown[]>
  /**
   * Runs a script with one statement behind it in one round trip; the answer is the statement's rows. The connection keeps
   * the plan of the statement if it can: where each answer is waited for, as over an app's own pool, both are one script.
   */
  scriptAndRows<Row>(text: string, statement: string): Promise<readonly Row[]>
  /** The server's process, as the connection was told of it: see `DriverClient.processID`. */
  readonly process: number | undefined
  release(): void
  destroy(): void
}

/** A statement waits so long for its answer; the server's own time-outs are shorter. */
const ANSWER_MS = 10_000

export async function openSession(pool: PostgresPool): Promise<Session> {
  const client: DriverClient = await pool.connect()
  // A connection that breaks between two statements says so by an event, which would end the process unheard.
  client.on('error', ignore)

  const ask = (query: object) => client.query({ ...query, types: TYPES, query_timeout: ANSWER_MS })
  const end = (destroy: boolean) => {
    client.removeListener('error', ignore)
    client.release(destroy)
  }
  const session: Session = {
    drive: (steps, { long = false } = {}) => drive(steps, long ? (query) => client.query(query) : ask),
    async rows<Row>(text: string, values: readonly (Value | readonly Value[])[]) {
      const statement = named(pool, text)
      try {
        const { rows } = (await answered(ask({ ...statement, values: values.map(asGiven) }))) as Result
        return rows as readonly Row[]
      } catch (error) {
        dropName(pool, statement.name, error)
        throw error
      }
    },
    async script(text, { long = false } = {}) {
      const asking = long ? client.query({ text, types: TYPES }) : ask({ text })
      const results = [await answered(asking)].flat() as readonly Result[]
      return results.findLast(({ rows }) => rows.length > 0)?.rows ?? []
    },
    async scriptAndRows<Row>(text: string, statement: string) {
      if (client.pipeline !== true) return (await session.script(`${text}; ${statement}`)) as readonly Row[]
      const [, rows] = await Promise.all([session.script(text), session.rows<Row>(statement, [])])
      return rows
    },
    process: client.processID ?? undefined,
    release: () => end(false),
    destroy: () => end(true),
  }
  return session
}

export async function askServer<Row>(pool: PostgresPool, text: string): Promise<Row> {
  const session = await openSession(pool)
  try {
    const [row] = (await session.script(text)) as readonly [Row]
    session.release()
    return row
  } catch (error) {
    session.destroy()
    throw error
  }
}

function ignore(): void {}

export async function drive<T>(steps: Steps<T>, ask: (query: Asked) => Promise<unknown>): Promise<T> {
  let step = steps.next()
  while (!step.done) step = steps.next(answerOf((await answered(ask(asked(step.value)))) as Result))
  return step.value
}

async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw new DatabaseFault(error)
  }
}

interface Result {
  readonly rows: readonly unknown[]
  readonly rowCount: number | null
}

function answerOf({ rows, rowCount }: Result): Answer {
  return { rows, changes: rowCount ?? 0 }
}

interface Asked {
  readonly text: string
  readonly values: readonly unknown[]
  readonly types: typeof TYPES
}

/** Statements of operations are sent without a name: there are hundreds, and each connection would keep them all. */
function asked({ text, values }: Query): Asked {
  return { text: spelled(text), values: values.map(asGiven), types: TYPES }
}

function asGiven(value: Value | readonly Value[]): unknown {
  if (typeof value === 'string') return asText(value)
  return Array.isArray(value) ? value.map(asGiven) : value
}

/** U+0000, which no text of PostgreSQL can hold, becomes U+FFFD: another customer's key must not come of it. */
export function asText(value: string): string {
  return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

const texts = new Map<string, string>()

function spelled(text: string): string {
  let known = texts.get(text)
  if (known === undefined) {
    let values = 0
    texts.set(text, (known = spell(text, POSTGRES).replaceAll('?', () => `$${++values}`)))
  }
  return known
}

/** Whole numbers come as numbers: all of ours are times, counts and ids below 2^53. */
const INT8 = 20
const NUMERIC = 1700
const BYTEA = 17
const BOOL = 16
const INT2 = 21
const INT4 = 23

/** The types that operations know, so that parsers which the app has set for its own tables change nothing here. */
const TYPES = {
  getTypeParser(type: number) {
    switch (type) {
      case INT2:
      case INT4:
      case INT8:
      case NUMERIC:
        return Number
      case BYTEA:
        return (value: string) => Buffer.from(value.slice(2), 'hex')
      case BOOL:
        return (value: string) => value === 't'
      default:
        return String
    }
  },
}

const names = new Map<string, string>()

/** Pools of which a connection has turned out not to keep names. */
const nameless = new WeakSet<PostgresPool>()

/** So often the tables beneath a pool were altered while its connections kept plans. */
const alterations = new WeakMap<PostgresPool, number>()

/**
 * Gives a statement a name, by which its connection keeps its plan: to plan a statement for a group costs as much as to run
 * it. The name is made of the text, so that nobody else on the same connection means another statement by it.
 */
function named(pool: PostgresPool, text: string): { readonly name?: string; readonly text: string } {
  if (nameless.has(pool)) return { text }
  let name = names.get(text)
  if (name === undefined) names.set(text, (name = createHash('sha256').update(text).digest('base64url')))
  return { name: name + endOfNames(pool), text }
}

/** After each alteration all statements have names that no connection knows, and are planned anew. */
function endOfNames(pool: PostgresPool): string {
  const count = alterations.get(pool)
  return count === undefined ? '' : `.${count}`
}

/**
 * Changes the names of a pool's statements if a name was to blame; the transaction fails and is repeated. A connection
 * refuses a plan of other tables than there are now: then all get other names. Behind a pooler that knows no names, the next
 * transaction has another connection, which does not know the statement, or has it of somebody else: then none has a name
 * any more.
 */
function dropName(pool: PostgresPool, name: string | undefined, error: unknown): void {
  if (forgotten(error)) nameless.add(pool)
  // Of several transactions at a time, all of which were refused, the first changes the names.
  if (outdated(error) && name?.endsWith(endOfNames(pool))) alterations.set(pool, (alterations.get(pool) ?? 0) + 1)
}
