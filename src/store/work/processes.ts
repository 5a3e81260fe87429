import { GREATEST, LEAST, type Query, sql } from '../database/sql.ts'
import { grouped, notByIndex, pick, select } from '../database/statements.ts'
import { processes, work } from '../database/inbox-tables.ts'
import { exists, one, execute, type Steps, type Tx, all } from '../database/steps.ts'
import { promoteItem } from './gathering.ts'
import { sends, throttles } from '../database/outbox-tables.ts'
import { type Fence, type InLanes, LANES, type Lease, type Others } from './lanes.ts'

/**
 * Processes and their leases. A running item has an owner, the id of its process, and a run, a number. Item, owner and run
 * are the fence of each effect. Two processes never own one lane: a process checks that it is not dead, and marks what
 * it begins, in one transaction. Another process declares it dead and frees its items, also in one transaction. Each
 * run has a higher number. A process frees a run under its own name only if the outcome of a commit was unknown and
 * nothing in the process knows of that run.
 */

const PROCESS = grouped({ name: processes.name }, ({ name }) => select(['id', 'dead'], processes, { name }))

/** Returns the id of this process, which is registered if it is new; undefined if it was declared dead. */
export function* livingProcess(
  { databaseState, waitedMs }: Pick<Tx, 'databaseState' | 'waitedMs'>,
  { processName: name, now, leaseMs }: Lease,
  beforeRegistering: () => void = () => {},
): Steps<number | undefined> {
  if (databaseState.process?.name === name) return databaseState.process.dead ? undefined : databaseState.process.id
  const known = (yield PROCESS({ name })).rows[0] as { id: number; dead: number } | undefined
  if (known?.dead === 1) return undefined
  if (!known) beforeRegistering()
  const id = known?.id ?? (yield* register(name, now + waitedMs + leaseMs))
  databaseState.process = { name, id }
  return id
}

function* register(name: string, until: number): Steps<number> {
  const made = yield* one<{ id: number }>(sql`
    INSERT INTO ${processes} (name, until, dead, ahead) VALUES (${name}, ${until}, 0, 0)
    ON CONFLICT (name) DO UPDATE SET until = processes.until RETURNING id`)
  return made?.id ?? 0
}

/** The clocks of two processes differ by less. A lease that ends later was given by a clock that was set back since. */
const IMPOSSIBLE_MS = 60_000

/**
 * Renews the lease in the ordinary case, beside all other operations. A process that declares this one dead writes the
 * same row, so one of the two waits.
 */
export function* renewOwn(name: string, now: number, leaseMs: number): Steps<boolean> {
  const until = now + leaseMs
  return (
    (yield* execute(sql`
      UPDATE ${processes} SET until = ${until} WHERE name = ${name} AND dead = 0 AND ahead = 0
        AND NOT EXISTS (SELECT 1 FROM ${processes} WHERE dead = 0 AND until > ${until + IMPOSSIBLE_MS})`)) > 0
  )
}

export function* renew(name: string, now: number, leaseMs: number, others?: Others): Steps<boolean> {
  const until = now + leaseMs
  const mine = yield* one<{ until: number; ahead: number }>(sql`
    SELECT until, ahead FROM ${processes} WHERE name = ${name} AND dead = 0`)
  const impossible = yield* execute(sql`
    UPDATE ${processes} SET until = ${until}, ahead = until - ${until}
    WHERE dead = 0 AND until > ${until + IMPOSSIBLE_MS}`)
  if (others && impossible > 0) others.ahead = true
  const back = wentBack(mine, until)
  if (back > 0) {
    yield* moveBack(back, { now, after: now + Math.floor(back / 2) })
    yield* execute(sql`UPDATE ${processes} SET ahead = 0`)
  }
  return (
    (yield* execute(sql`
      INSERT INTO ${processes} (name, until, dead, ahead) VALUES (${name}, ${until}, 0, 0)
      ON CONFLICT (name) DO UPDATE SET until = excluded.until WHERE processes.dead = 0`)) > 0
  )
}

/**
 * Returns by how much the clock went back. Only a clock that all processes follow goes back, such as a server's.
 * Another process may have noticed it first.
 */
function wentBack(mine: { until: number; ahead: number } | undefined, until: number): number {
  if (mine === undefined) return 0
  const back = mine.until - until
  if (back > IMPOSSIBLE_MS) return back
  return -back <= IMPOSSIBLE_MS ? mine.ahead : 0
}

/** Frees running rows: each is the first of its lane again. An item whose customer was forgotten ends instead. */
export function* free(tx: Pick<Tx, 'wake'>, kind: InLanes, which: Query, now: number): Steps<void> {
  const { table, freed } = LANES[kind]
  const ran = sql`place < 2 AND place = 1 AND ${freed} AND ${which}`
  if (kind === 'sends') return void (yield* execute(sql`UPDATE ${table} SET place = 0, owner = NULL WHERE ${ran}`))
  const gone = yield* all<{ lane: string }>(sql`
    DELETE FROM ${work} WHERE place < 2 AND place = 1 AND state <> 'running' AND ${which} RETURNING lane`)
  for (const { lane } of gone) yield* promoteItem(tx, lane, now)
  yield* execute(sql`
    UPDATE ${work} SET place = 0, owner = NULL, interrupted = 1, due = ${now} WHERE ${ran}`)
}

/**
 * Lists the runs of a process. A commit whose answer was lost may have begun work that the process does not know of,
 * and no lease would free it. Sends that are withheld are left out: they wait in no lane.
 */
export function* runsOf(kind: InLanes, processName: string): Steps<readonly Fence[]> {
  const { table, fenced, freed } = LANES[kind]
  return yield* all<Fence>(sql`
    SELECT ${fenced} AS of, lane, owner, run FROM ${table}
    WHERE place < 2 AND place = 1 AND ${freed} AND owner = (SELECT id FROM ${processes} WHERE name = ${processName})`)
}

/** Frees runs of which their process does not know. `unsent`: sends whose request was surely never made, so that they are as before their attempt. */
export function* freeRuns(
  tx: Pick<Tx, 'wake'>,
  kind: InLanes,
  runs: readonly Fence[],
  now: number,
  unsent: readonly Fence[] = [],
): Steps<void> {
  for (const { of, owner, run } of unsent)
    yield* execute(sql`
      UPDATE ${sends} SET state = 'ready', attempts = ${GREATEST}(0, attempts - 1), attempting_since = NULL,
        first_attempt_at = CASE WHEN attempts > 1 THEN first_attempt_at END
      WHERE id = ${of} AND owner = ${owner} AND run = ${run} AND place = 1 AND state = 'attempting'`)
  for (const { of, owner, run } of runs)
    yield* free(tx, kind, sql`${LANES[kind].fenced} = ${of} AND owner = ${owner} AND run = ${run}`, now)
  tx.wake(kind === 'work' ? 'items' : 'sends')
}

/** Moves waits back that end after a time. The clock that set them was ahead by `back` milliseconds. */
export function* moveBack(back: number, { now, after }: { now: number; after: number }): Steps<void> {
  yield* execute(sql`UPDATE ${work} SET due = due - ${back} WHERE due > ${after}`)
  yield* execute(sql`UPDATE ${sends} SET next_at = next_at - ${back} WHERE place < 2 AND next_at > ${after}`)
  yield* execute(sql`
    UPDATE ${sends} SET attempting_since = attempting_since - ${back}, first_attempt_at = ${LEAST}(first_attempt_at, ${now})
    WHERE place < 2 AND attempting_since > ${after}`)
  yield* execute(sql`UPDATE ${throttles} SET closed_until = closed_until - ${back} WHERE closed_until > ${after}`)
}

export function* nextLeaseEnd(kind: InLanes, me: number, now: number): Steps<number | undefined> {
  const row = yield* one<{ at: number | null }>(sql`
    SELECT min(until) AS at FROM ${processes} p WHERE dead = 0 AND id <> ${me} AND until > ${now}
      AND EXISTS (SELECT 1 FROM ${LANES[kind].table} WHERE place < 2 AND place = 1 AND owner = p.id)`)
  return row?.at ?? undefined
}

const ALIVE = grouped({ id: processes.id }, ({ id }) => select(['id'], processes, { id, dead: 0 }))

export function* isAlive({ databaseState }: Pick<Tx, 'databaseState'>, process: number): Steps<boolean> {
  const me = databaseState.process
  return me?.id === process ? me.dead !== true : yield* exists(ALIVE({ id: process }))
}

/** The columns of an item's fence. */
export const FENCE = pick(work, 'item', 'owner', 'run')

/** A condition of the row that a fence names, while it runs. */
export function isRun({ item, owner, run }: { readonly [Name in keyof typeof FENCE]: Query }): Query {
  return sql`item = ${item} AND owner = ${owner} AND run = ${run} AND ${notByIndex(work.place, 1)}`
}

const STATE = grouped(FENCE, (fence) => select(['state'], work, isRun(fence)))

/**
 * Returns the state of a run; undefined if the item was freed. `forgotten`: its customer was forgotten while it runs.
 * `forgetting`: its own handler forgot the customer, and may still answer.
 */
export function* runState({ of, owner, run }: Fence): Steps<'running' | 'forgotten' | 'forgetting' | undefined> {
  return (yield* one(STATE({ item: Number(of), owner, run })))?.state as
    | 'running'
    | 'forgotten'
    | 'forgetting'
    | undefined
}

export function* itemPassesFence(fence: Fence): Steps<boolean> {
  return (yield* runState(fence)) === 'running'
}
