import type { Fence, Via } from '../../port/index.ts'
import { holdsLane, stands } from '../lanes/lanes.ts'
import { run, sql, type Steps, when } from '../steps.ts'
import { IN_LANE } from './sends.ts'

/**
 * Commits that an attempt begins: see `Store.beginSend`. One conditional statement, since the send may have been
 * cancelled or opened again after it was claimed. The start of the earliest attempt whose outcome is unknown stays;
 * after a definite answer the attempt counts from its own start.
 */
export function* beginSend(
  fence: Fence,
  send: string,
  via: Via,
  now: number,
  bytes?: string,
): Steps<'begun' | 'gone' | 'lost'> {
  const begun = yield* run(sql`
    UPDATE sends SET state = 'attempting', via = ${via}, attempts = attempts + 1,
      attempting_since = CASE WHEN state = 'attempting' THEN coalesce(attempting_since, ${now}) ELSE ${now} END,
      first_attempt_at = coalesce(first_attempt_at, ${now})
    WHERE id = ${send} AND ${IN_LANE} AND ${stands(fence)}
      ${when(bytes !== undefined, () => sql`AND ${bytes} IN (body, fallback_body)`)}`)
  if (begun > 0) return 'begun'
  return (yield* holdsLane(fence)) ? 'gone' : 'lost'
}
