import type { Fence, Resumed } from '../port/index.ts'
import { RESTORED } from '../rules/sends.ts'
import type { Sql } from './connection.ts'
import type { Tx } from './group-commit.ts'
import { wakeLane } from './lanes.ts'
import { probeThrottles } from './throttles.ts'

const HOLD_RESTORED = `
  UPDATE sends SET held_from = CASE WHEN state IN ('attempting', 'scheduled') THEN state ELSE 'ready' END, state = 'held',
    code = ?, reason = ?
  WHERE settled_at IS NULL AND held_from IS NULL AND withheld = 0`
const MARK_UPTO = `
  INSERT INTO meta (name, value) SELECT 'restored_upto', coalesce(max(seq), 0) FROM deliveries WHERE true
  ON CONFLICT DO UPDATE SET value = excluded.value`
const FORGET_RESUMED = "DELETE FROM meta WHERE name GLOB 'resumed:*'"

/** Holds all that is to go out, and all that handlers of the deliveries that came back will send again. */
export function holdSends(sql: Sql): void {
  sql(HOLD_RESTORED).run(RESTORED.code, RESTORED.reason)
  sql(FORGET_RESUMED).run()
  sql(MARK_UPTO).run()
}

const IS_RESTORED = "SELECT 1 FROM meta WHERE name = 'restored_upto'"
const COUNT = 'SELECT count(*) AS n FROM sends WHERE settled_at IS NULL AND held_from IS NOT NULL'

/** Counts the sends that a restored database holds; undefined if it was not restored, or its sends were let go. */
export function heldSends(sql: Sql): number | undefined {
  if (sql(IS_RESTORED).get() === undefined) return undefined
  return (sql(COUNT).get() as { n: number }).n
}

const CAME_BACK = `
  SELECT 1 FROM meta m CROSS JOIN items i
  WHERE m.name = 'restored_upto' AND i.lane = ? AND i.settled_at IS NULL AND i.cause = ? AND i.seq <= m.value
    AND NOT EXISTS (SELECT 1 FROM meta WHERE name = 'resumed:' || ?)`

/** The delivery that a send answers came back with a backup, and its number's sends were not let go since. */
export function cameBack(tx: Tx, { number, cause }: { number: string; cause: string }, fence: Fence): boolean {
  return tx.sql(CAME_BACK).get(fence.lane, cause, number) !== undefined
}

// Sends of a stopped number are tried at once, in the state that they have.
const PROBE = `
  UPDATE sends SET next_at = ?
  WHERE settled_at IS NULL AND held_from IS NULL AND state = 'held' AND (? IS NULL OR number = ?) RETURNING lane`
const RELEASE_RESTORED = `
  UPDATE sends SET state = held_from, held_from = NULL, code = NULL, reason = NULL, possibly_twice = 1, next_at = ?
  WHERE settled_at IS NULL AND held_from IS NOT NULL AND (? IS NULL OR number = ?) RETURNING lane`
const RESUME_ALL = "DELETE FROM meta WHERE name = 'restored_upto' OR name GLOB 'resumed:*'"
const RESUME_NUMBER = `
  INSERT INTO meta (name, value) SELECT 'resumed:' || ?, 1 FROM meta WHERE name = 'restored_upto' ON CONFLICT DO NOTHING`

/** Lets held sends go: see `Store.resumeSends`. */
export function resumeSends(tx: Tx, { number, now }: { number?: string; now: number }): Resumed {
  const of = number ?? null
  const throttles = probeThrottles(tx, number)
  const lanesOf = (query: string) => tx.sql(query).all(now, of, of) as { lane: string }[]
  const [held, restored] = [lanesOf(PROBE), lanesOf(RELEASE_RESTORED)]
  for (const lane of new Set([...held, ...restored].map((send) => send.lane))) wakeLane(tx, lane, 'send', now)
  if (number === undefined) tx.sql(RESUME_ALL).run()
  else tx.sql(RESUME_NUMBER).run(number)
  return { throttles, held: held.length, restored: restored.length }
}
