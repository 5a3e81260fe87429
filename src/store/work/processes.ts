import * as builtIn from '../../built-in/ended-processes.ts'
import { GREATEST, LEAST, type Query, sql } from '../database/sql.ts'
import { processes, work } from '../database/inbox-tables.ts'
import { one, execute, type Steps, type Tx, all } from '../database/steps.ts'
import { promoteItem } from './gathering.ts'
import { sends, throttles } from '../database/outbox-tables.ts'
import { type Claim, type Fence, type InLanes, LANES, type Lease, type Others } from './lanes.ts'

/**
 * The clocks of two processes differ by less than this. A lease that ends even later was given by a clock that was set
 * back since.
 */
const IMPOSSIBLE_MS = 60_000

/**
 * Renews the lease without a lock. Returns false if this process was declared dead or a clock was set back: then
 * `renew` does it under the lock. If another process declares this one dead at the same time, both write the same row, so the
 * later one waits.
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
 * Returns by how much the clock went back. Only a server's clock goes back: the clock of a process never does. If
 * another process noticed it first, it has set `ahead` in this process's row, and this value is returned.
 */
function wentBack(mine: { until: number; ahead: number } | undefined, until: number): number {
  if (mine === undefined) return 0
  const back = mine.until - until
  if (back > IMPOSSIBLE_MS) return back
  return -back <= IMPOSSIBLE_MS ? mine.ahead : 0
}

/** Frees running rows: each is the first of its lane again. An item whose customer was forgotten ends instead. */
function* free(tx: Pick<Tx, 'wake'>, kind: InLanes, which: Query, now: number): Steps<void> {
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
 * and no lease would free it. Withheld sends are left out, because they never begin again.
 */
export function* runsOf(kind: InLanes, processName: string): Steps<readonly Fence[]> {
  const { table, fenced, freed } = LANES[kind]
  return yield* all<Fence>(sql`
    SELECT ${fenced} AS of, lane, owner, run FROM ${table}
    WHERE place < 2 AND place = 1 AND ${freed} AND owner = (SELECT id FROM ${processes} WHERE name = ${processName})`)
}

/**
 * Frees runs that their process does not know. `unsent`: sends whose request was never made, so they are `ready` again.
 */
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

/** Moves times later than `after` back by `back` ms, because the clock that set them was ahead by that. */
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

// ── dead processes ──────────────────────────────────────────────────────────────────────────────────

export interface EndingLease extends Lease, Pick<Claim, 'tells'> {}

const REMEMBERED_MS = 7 * 86_400_000

type Ended = (tx: Tx, process: number, lease: EndingLease) => Steps<void>

const ENDED: readonly Ended[] = Object.values<Ended>(builtIn)

/** Declares processes dead. Their items and sends can begin again, except sends whose body only they had in memory. */
export function* declareDead(tx: Tx, me: number | undefined, lease: EndingLease): Steps<void> {
  const { now } = lease
  const found = yield* all<{ id: number; until: number; ahead: number }>(sql`
    SELECT id, until, ahead FROM ${processes} WHERE dead = 0 AND until <= ${now} AND id <> ${me ?? 0}`)
  const ended = lease.others ? endedOf(found, lease, lease.others) : found
  if (ended.length > 0) tx.alone()
  for (const { id } of ended) lease.others?.lapsed.delete(id)
  const ahead = Math.max(0, ...ended.map((one) => one.ahead))
  // The clock of a dead process was ahead, so the times until which its work waits are too late. Times that other
  // processes set are nearer than half of that, and stay.
  if (ahead > 0) yield* moveBack(ahead, { now, after: now + Math.floor(ahead / 2) })
  for (const { id, until } of ended) {
    // The process is dead from now on, unless it renews its lease at this moment.
    if (
      (yield* execute(sql`UPDATE ${processes} SET dead = 1, until = ${now} WHERE id = ${id} AND until = ${until}`)) ===
      0
    )
      continue
    for (const kind of ['work', 'sends'] as const) yield* free(tx, kind, sql`owner = ${id}`, now)
    for (const end of ENDED) yield* end(tx, id, lease)
  }
  if (ended.length > 0) yield* execute(sql`DELETE FROM ${processes} WHERE dead = 1 AND until < ${now - REMEMBERED_MS}`)
}

/**
 * Selects processes whose lease has ended. If a lease ended long ago, its process may live, with a clock behind this
 * one. Then it renews the lease. A lease until 0 was ended by an opening of the database.
 */
function endedOf<Row extends { id: number; until: number }>(
  found: readonly Row[],
  { now, leaseMs }: Lease,
  { lapsed }: Others,
): readonly Row[] {
  const ended = found.filter(({ id, until }) => {
    if (until === 0 || until >= now - leaseMs) return true
    const known = lapsed.get(id)
    if (known?.until !== until) lapsed.set(id, { until, since: now, isRenewed: known !== undefined })
    return known?.until === until && now - known.since >= leaseMs
  })
  for (const id of lapsed.keys()) if (!found.some((one) => one.id === id)) lapsed.delete(id)
  return ended
}
