import type { Resumed } from '../port/index.ts'
import { RESTORED } from '../rules/sends.ts'
import { wakeLane } from './lanes.ts'
import { all, one, type Query, run, sql, type Steps, type Tx, when } from './steps.ts'
import { probeThrottles } from './throttles.ts'

/** Holds all that is to go out, and all that handlers of the deliveries that came back will send again. */
export function* holdSends(): Steps<void> {
  yield* run(sql`
    UPDATE sends SET held_from = CASE WHEN state IN ('attempting', 'scheduled') THEN state ELSE 'ready' END,
      state = 'held', code = ${RESTORED.code}, reason = ${RESTORED.reason}
    WHERE settled_at IS NULL AND held_from IS NULL AND withheld = 0`)
  yield* forgetResumed()
  yield* run(sql`
    INSERT INTO meta (name, value) SELECT 'restored_upto', coalesce(max(seq), 0) FROM deliveries WHERE true
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
}

/** Counts the sends that a restored database holds; undefined if it was not restored, or its sends were let go. */
export function* heldSends(): Steps<number | undefined> {
  if (!(yield* one(sql`SELECT 1 FROM meta WHERE name = 'restored_upto'`))) return undefined
  const held = yield* one<{ n: number }>(sql`
    SELECT count(*) AS n FROM sends WHERE settled_at IS NULL AND held_from IS NOT NULL`)
  return held?.n
}

/** The condition that the delivery which a send answers came back with a backup, and its number's sends were not let go since. */
export function cameBack(lane: string, { number, cause }: { number: string; cause: string }): Query {
  return sql`EXISTS (
    SELECT 1 FROM meta m CROSS JOIN items i
    WHERE m.name = 'restored_upto' AND i.lane = ${lane} AND i.settled_at IS NULL AND i.cause = ${cause}
      AND i.seq <= m.value AND NOT EXISTS (SELECT 1 FROM meta WHERE name = ${`resumed:${number}`}))`
}

/**
 * Lets go what a restored database held of one number, or of all, and what handlers of the deliveries that came back
 * send from now on. The answer names the lanes.
 */
function* releaseRestored(number: string | undefined, now: number): Steps<readonly { lane: string }[]> {
  if (number !== undefined)
    yield* run(sql`
      INSERT INTO meta (name, value) SELECT ${`resumed:${number}`}, 1 FROM meta WHERE name = 'restored_upto'
      ON CONFLICT DO NOTHING`)
  else {
    yield* forgetResumed()
    yield* run(sql`DELETE FROM meta WHERE name = 'restored_upto'`)
  }
  return yield* all<{ lane: string }>(sql`
    UPDATE sends SET state = held_from, held_from = NULL, code = NULL, reason = NULL, possibly_twice = 1,
      next_at = ${now}
    WHERE settled_at IS NULL AND held_from IS NOT NULL
      ${when(number !== undefined, () => sql`AND number = ${number}`)}
    RETURNING lane`)
}

function* forgetResumed(): Steps<void> {
  yield* run(sql`DELETE FROM meta WHERE name LIKE 'resumed:%'`)
}

/** Lets held sends go: see `Store.resumeSends`. */
export function* resumeSends(
  tx: Tx,
  { number, restored, now }: { number?: string; restored: boolean; now: number },
): Steps<Resumed> {
  const throttles = yield* probeThrottles(tx, number)
  const ofNumber = when(number !== undefined, () => sql`AND number = ${number}`)
  // Sends of a stopped number are tried at once, in the state that they have.
  const held = yield* all<{ lane: string }>(sql`
    UPDATE sends SET next_at = ${now}
    WHERE settled_at IS NULL AND held_from IS NULL AND state = 'held' ${ofNumber} RETURNING lane`)
  const released = restored ? yield* releaseRestored(number, now) : []
  for (const lane of new Set([...held, ...released].map((send) => send.lane))) yield* wakeLane(tx, lane, 'send', now)
  return { throttles, held: held.length, restored: released.length }
}
