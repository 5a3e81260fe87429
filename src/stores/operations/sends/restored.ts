import type { Resumed } from '../../port/index.ts'
import { AT_ONCE } from '../../rules/items.ts'
import { RESTORED } from '../../rules/sends.ts'
import { wakeLane } from '../lanes/lanes.ts'
import { all, one, type Query, run, sql, type Steps, type Tx } from '../steps.ts'
import { untilLong } from '../until-long.ts'
import { SHOWN_STATE } from './sends.ts'
import { probeThrottles } from './throttles.ts'

type Place = Pick<Waiting, 'lane' | 'seq'>

/**
 * Holds a portion of all that is to go out, those after one. The first portion sees to it that all is held which
 * handlers of the deliveries that came back will send again, and that a start finds what a crash has left to be held. The
 * answer is the place to go on from; undefined if all is held, or was let go meanwhile.
 */
export function* holdSends(tx: Pick<Tx, 'isLong'>, limit: number, after?: Place): Steps<Place | undefined> {
  if (!after) yield* beginRestored()
  const rows = yield* all<Place>(sql`
    SELECT lane, seq FROM sends
    WHERE settled_at IS NULL AND (lane, seq) > (${after?.lane ?? ''}, ${after?.seq ?? 0})
      AND EXISTS (SELECT 1 FROM meta WHERE name = 'restored_upto')
    ORDER BY lane, seq LIMIT ${limit}`)
  const done = yield* untilLong(tx, rows, ({ seq }) =>
    run(sql`
    UPDATE sends SET held_from = CASE WHEN state IN ('attempting', 'scheduled') THEN state ELSE 'ready' END,
      state = 'held', code = ${RESTORED.code}, reason = ${RESTORED.reason}
    WHERE seq = ${seq} AND held_from IS NULL AND withheld = 0
      AND NOT EXISTS (SELECT 1 FROM meta WHERE name = 'resumed:' || sends.number)`),
  )
  if (done === limit || done < rows.length) return rows[done - 1]
  yield* run(sql`DELETE FROM meta WHERE name = 'holding'`)
  return undefined
}

function* beginRestored(): Steps<void> {
  yield* forgetResumed()
  yield* run(sql`
    INSERT INTO meta (name, value) SELECT 'restored_upto', coalesce(max(seq), 0) FROM deliveries WHERE true
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
  yield* run(sql`INSERT INTO meta (name, value) VALUES ('holding', 1) ON CONFLICT DO NOTHING`)
}

/** A process that held the sends of a restored database is gone, or has not held all of them yet. */
export function* isHolding(): Steps<boolean> {
  return (yield* one(sql`SELECT 1 FROM meta WHERE name = 'holding'`)) !== undefined
}

/** Counts the sends that a restored database holds; undefined if it was not restored, or its sends were let go. */
export function* heldSends(): Steps<number | undefined> {
  if (!(yield* one(sql`SELECT 1 FROM meta WHERE name IN ('restored_upto', 'resuming')`))) return undefined
  const held = yield* one<{ n: number }>(sql`
    SELECT count(*) AS n FROM sends WHERE settled_at IS NULL AND held_from IS NOT NULL`)
  return held?.n
}

/** The condition that the delivery whose handler sends it came back with a backup, and its number's sends were not let go since. */
export function cameBack(lane: string, { number }: { readonly number: string }): Query {
  return sql`EXISTS (
    SELECT 1 FROM meta m CROSS JOIN items i
    WHERE m.name = 'restored_upto' AND i.lane = ${lane} AND i.settled_at IS NULL AND i.state = 'running'
      AND i.seq <= m.value AND NOT EXISTS (SELECT 1 FROM meta WHERE name = ${`resumed:${number}`}))`
}

/** The condition that a row of `timers` came back with a backup, and its number's sends were not let go since. */
export function timersCameBack(): Query {
  return sql`EXISTS (
    SELECT 1 FROM meta m WHERE m.name = 'restored_upto' AND timers.seq <= m.value
      AND NOT EXISTS (SELECT 1 FROM meta WHERE name = 'resumed:' || timers.number))`
}

/** Ends the holding of sends for the restored database, of one number or of all; those that are held are let go later. */
function* endRestored(number: string | undefined): Steps<void> {
  if (number !== undefined)
    yield* run(sql`
      INSERT INTO meta (name, value) SELECT ${`resumed:${number}`}, 1 FROM meta WHERE name = 'restored_upto'
      ON CONFLICT DO NOTHING`)
  else {
    yield* forgetResumed()
    // Whoever looks finds the sends that are still held, should this process end before it has let all of them go.
    yield* run(sql`
      INSERT INTO meta (name, value) SELECT 'resuming', value FROM meta WHERE name = 'restored_upto'
      ON CONFLICT DO NOTHING`)
    yield* run(sql`DELETE FROM meta WHERE name = 'restored_upto'`)
  }
}

function* forgetResumed(): Steps<void> {
  yield* run(sql`DELETE FROM meta WHERE name LIKE 'resumed:%'`)
}

interface Waiting {
  readonly seq: number
  readonly lane: string
  readonly number: string
  readonly state: string
  readonly held_from: string | null
  readonly next_at: number
}

export interface ResumedPortion extends Resumed {
  /** Undefined if there are no more. */
  readonly next: Place | undefined
}

/**
 * Lets held sends go, of one number or of all: a closed throttle is probed at once. With `restored`, what a restored
 * database held goes out too, as `possiblyTwice`; a send whose attempt was under way ends as `unknown` if the ten
 * minutes of its repeats are over.
 */
export function* resumeSends(
  tx: Tx,
  { number, restored, now }: { number?: string; restored: boolean; now: number },
  limit: number,
  after?: ResumedPortion['next'],
): Steps<ResumedPortion> {
  const throttles = after ? [] : yield* probeThrottles(tx, number)
  // First, so that no more sends are held behind the place that was looked at.
  if (!after && restored) yield* endRestored(number)
  const rows = yield* all<Waiting>(sql`
    SELECT seq, lane, number, ${SHOWN_STATE} AS state, held_from, next_at FROM sends
    WHERE settled_at IS NULL AND (lane, seq) > (${after?.lane ?? ''}, ${after?.seq ?? 0}) ORDER BY lane, seq LIMIT ${limit}`)
  const resumed = { held: 0, restored: 0 }
  let last: Waiting | undefined
  for (const row of rows) {
    last = row
    const what = number === undefined || row.number === number ? yield* resumeSend(row, restored) : undefined
    if (what === undefined) continue
    resumed[what]++
    yield* wakeLane(tx, row.lane, 'send', now)
    if (tx.isLong()) break
  }
  const isAll = rows.length < limit && last === rows.at(-1)
  if (isAll && restored && number === undefined) yield* run(sql`DELETE FROM meta WHERE name = 'resuming'`)
  return { throttles, ...resumed, next: isAll ? undefined : last }
}

function* resumeSend(row: Waiting, restored: boolean): Steps<'held' | 'restored' | undefined> {
  if (restored && row.held_from !== null) {
    yield* run(sql`
      UPDATE sends SET state = held_from, held_from = NULL, code = NULL, reason = NULL, possibly_twice = 1,
        next_at = ${AT_ONCE}
      WHERE seq = ${row.seq}`)
    return 'restored'
  }
  if (row.state !== 'held' || row.held_from !== null) return undefined
  // One of a stopped number is tried at once.
  if (row.next_at > AT_ONCE) yield* run(sql`UPDATE sends SET next_at = ${AT_ONCE} WHERE seq = ${row.seq}`)
  return 'held'
}
