import { Client, Pool } from 'pg'
import { TABLES } from '../../../../src/store/database/schema.ts'
import type { Store } from '../../../../src/store/store.ts'
import { openPostgres } from '../../../../src/store/postgres/postgres-store.ts'
import { makeDatabase } from '../../postgres-backend.ts'
import { named, type Tables } from './naming.ts'
import { type At, openSteered, refusedAs, type Steered } from './steered.ts'

type Operation<Given> = (store: Store, given: Given, process: Steered) => Promise<unknown>

/** An operation of one process, or several in a row: another process may come between those. */
type Act<Given> = Operation<Given> | readonly Operation<Given>[]

interface Made<Given> {
  /** What the two are: what they share, and what would go wrong. */
  readonly is: string
  /** What was there before. Its answer is given to both. */
  before?(store: Store): Promise<Given>
  /** What a first process does, and what a second one does at the same time. */
  readonly both: readonly [Act<Given>, Act<Given>]
  /** What is asked once both have ended; it is compared too. */
  after?(store: Store, answers: readonly unknown[]): Promise<unknown>
  /** One of the operations is several transactions, between which others may come. */
  readonly several?: true
}

/** Two operations that two processes may have at one time. */
export type Pair = Omit<Made<unknown>, 'both'> & Record<'one' | 'other', readonly Operation<unknown>[]>

/** @template Given what `before` answers with. */
export function pair<Given = undefined>({ both: [one, other], ...made }: Made<Given>): Pair {
  return { ...made, one: [one].flat(), other: [other].flat() } as Pair
}

/** Who is to run next: the first process, or the second. */
export type Choice = 0 | 1
export type Schedule = (step: number) => Choice

/** The first so many statements of one, then all of the other, then the rest: `first` says which of them is held. */
export function holding(first: Choice, after: number): Schedule {
  let steps = 0
  return () => (steps++ < after ? first : ((1 - first) as Choice))
}

export interface Played {
  /** As JSON, so that two of them are compared. */
  readonly outcome: string
  /**
   * At which of its statements one of them met a lock, if none of its operations had ended. Held later in its transaction, the
   * other one has more locks: what meets one at the same statement has seen the same.
   */
  readonly metAfter: string | undefined
  readonly faults: readonly unknown[]
}

/** A process that always meets the other's lock asks again and again: the other continues. */
const MOST_IN_A_ROW = 60

/** Two processes and a third one, which no test holds, over one database. */
export async function openStage() {
  const database = await makeDatabase()
  const plain = await openPostgres(database.url, { monotonic: () => 0 })
  const looks = new Pool({ connectionString: database.url })
  const client = new Client({ connectionString: database.url, options: '-c search_path=switchhook' })
  await client.connect()
  const processes = [await openSteered(database.url, looks), await openSteered(database.url, looks)]

  /** Both, statement by statement. */
  async function play(pair: Pair, schedule: Schedule): Promise<Played> {
    const given = await prepare(pair)
    const [one, other] = processes as [Steered, Steered]
    const ended = [0, 0]
    const has = (nth: Choice) => () => void (ended[nth] = (ended[nth] as number) + 1)
    one.steer(() => inARow(one, pair.one, given, has(0)))
    other.steer(() => inARow(other, pair.other, given, has(1)))
    const metAfter = await interleave([one, other], schedule, (nth) => ended[nth] === 0)
    const answers = await Promise.all(processes.map((each) => each.result()))
    const faults = processes.flatMap((each) => each.faults.splice(0))
    return { outcome: await outcomeOf(pair, answers), faults, metAfter }
  }

  /** What each order of them has, one after the other: of one operation each there are two. And the statements of each, if it is first. */
  async function inTurns(pair: Pair): Promise<{ outcomes: ReadonlySet<string>; alone: readonly Alone[] }> {
    const outcomes = new Set<string>()
    const alone: Alone[] = []
    for (const order of mergesOf(pair.one.length, pair.other.length)) {
      const turns = await inOrder(pair, order)
      alone[order[0] ?? 0] ??= turns.alone
      outcomes.add(turns.outcome)
    }
    return { outcomes, alone }
  }

  async function inOrder(pair: Pair, order: readonly Choice[]) {
    const given = await prepare(pair)
    const left = [[...pair.one], [...pair.other]] satisfies Operation<unknown>[][]
    const answers: unknown[][] = [[], []]
    for (const each of processes) each.count()
    for (const next of order) {
      const process = processes[next] as Steered
      const operation = left[next]?.shift() as Operation<unknown>
      answers[next]?.push(await process.passing(operation(process.store, given, process).catch(refusedAs)))
    }
    const alone = (processes[order[0] ?? 0] as Steered).count()
    return { outcome: await outcomeOf(pair, answers), alone }
  }

  async function prepare(pair: Pair): Promise<unknown> {
    await client.query(EMPTY)
    return pair.before?.(plain)
  }

  async function outcomeOf(pair: Pair, answers: readonly unknown[]): Promise<string> {
    const after = await pair.after?.(plain, answers)
    return JSON.stringify(named(await rowsOf(client), [...answers, after]))
  }

  return {
    play,
    inTurns,
    async close() {
      await Promise.all([plain.close(), ...processes.map((each) => each.close())])
      await Promise.all([looks.end(), client.end()])
    },
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>

async function inARow(
  process: Steered,
  act: readonly Operation<unknown>[],
  given: unknown,
  ended: () => void,
): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  for (const operation of act) {
    answers.push(await operation(process.store, given, process).catch(refusedAs))
    ended()
  }
  return answers
}

type Alone = ReturnType<Steered['count']>

async function interleave(
  processes: readonly [Steered, Steered],
  schedule: Schedule,
  hasEndedNothing: (nth: Choice) => boolean,
): Promise<string | undefined> {
  const steps = [0, 0]
  let metAfter: string | undefined
  const inARow = [0, 0]
  const at = await Promise.all(processes.map((each) => each.stops()))
  for (let step = 0; at.some((where) => where !== 'ended'); ) {
    const next = nextOf(schedule(step), at, inARow)
    if (next !== undefined) {
      step++
      steps[next] = (steps[next] as number) + 1
      inARow[next] = (inARow[next] as number) + 1
      inARow[1 - next] = 0
    }
    const isOver = next !== undefined && processes[next].step()
    for (const each of next === 1 ? ([1, 0] as const) : ([0, 1] as const)) {
      // Only the end of a transaction lets another one continue that waits.
      if (each !== next && (at[each] !== 'waits' || (next !== undefined && !isOver && at[next] !== 'ended'))) continue
      // Where nobody can be let go, a lock is about to come, or the server ends a ring.
      at[each] = await processes[each].stops({ unlessWaits: next === undefined })
      if (next === undefined && at[each] !== 'waits') break
      if (at[each] === 'waits' && hasEndedNothing(each)) metAfter ??= `process ${each}, statement ${steps[each]}`
    }
  }
  return metAfter
}

/** The one that is asked for, or the other if that one cannot continue, or has continued for long. */
function nextOf(asked: Choice, at: readonly At[], inARow: readonly number[]): Choice | undefined {
  const other = (1 - asked) as Choice
  const canGo = ([asked, other] as const).filter((each) => at[each] === 'held')
  return canGo.find((each) => each === other || (inARow[each] ?? 0) < MOST_IN_A_ROW) ?? canGo[0]
}

/** All orders of so many operations of one and of another, of which each keeps its own. */
export function mergesOf(one: number, other: number): Choice[][] {
  if (one === 0 || other === 0) return [[...Array<Choice>(one).fill(0), ...Array<Choice>(other).fill(1)]]
  return [
    ...mergesOf(one - 1, other).map((rest): Choice[] => [0, ...rest]),
    ...mergesOf(one, other - 1).map((rest): Choice[] => [1, ...rest]),
  ]
}

// ── rows ────────────────────────────────────────────────────────────────────────────────────────────

const KEPT = "WHERE name NOT LIKE 'schema_%' AND name <> 'cluster'"
const NAMES = Object.keys(TABLES)
const EMPTIES = NAMES.map((table) => `${table}_gone AS (DELETE FROM ${table} ${table === 'meta' ? KEPT : ''})`)
/** Each has a name, so that its plan is kept. */
const EMPTY = {
  name: 'empty',
  text: `WITH ${EMPTIES.join(', ')} SELECT setval('sends_seq', 1, false), setval('processes_id_seq', 1, false)`,
}
const ALL = NAMES.map((table) => `'${table}', (SELECT coalesce(json_agg(t), '[]') FROM ${table} AS t)`)
const ROWS = { name: 'rows', text: `SELECT json_build_object(${ALL.join(', ')}) AS rows` }

async function rowsOf(client: Client): Promise<Tables> {
  const { rows } = await client.query<{ rows: Tables }>(ROWS)
  return (rows[0] as { rows: Tables }).rows
}
