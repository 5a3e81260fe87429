import { holdsLane, stands, wakeLane } from '../lanes/lanes.ts'
import { nextLaneAt, takeLanes } from '../lanes/take-lanes.ts'
import { IN_LANE } from './sends.ts'
import { loseCodes, nextSendOrRelease } from './settle-send.ts'
import { all, one, run, sql, type Steps, type Tx, when } from '../steps.ts'
import { type Claim, type Claimed, type DueSend, type Fence, type Held, numberOf, type Via } from '../../port/index.ts'
import { AT_ONCE } from '../../rules/items.ts'

/** Takes lanes of sends; the work is the head of each, not yet begun. */
export function* claimSends(tx: Tx, claim: Claim): Steps<Claimed<DueSend>> {
  const newer = tx.newerSchema()
  if (newer !== undefined) return { held: [], nextAt: undefined, newerSchema: newer }
  yield* loseCodes(tx, claim)
  yield* putDueIntoLanes(tx, claim.serviceNow ?? claim.now, claim.now)
  const held: Held<DueSend>[] = []
  const { taken, more } = yield* takeLanes(tx, 'send', claim)
  for (const { fence } of taken) {
    const work = yield* nextSendOrRelease(tx, fence.lane, claim.now, true)
    if (work) held.push({ fence, work })
    else claim.room?.give(numberOf(fence.lane))
  }
  return { held, nextAt: more ? AT_ONCE : yield* nextLaneAt('send', claim, held) }
}

/** A claim would find something: sends that are ready or due, or codes whose process is gone. */
export function* mayClaimSends({ now, serviceNow = now, holding = [] }: Claim): Steps<boolean> {
  const found = yield* one(sql`
    SELECT 1 WHERE EXISTS (
        SELECT 1 FROM lanes WHERE kind = 'send' AND ready_at <= ${now} AND key NOT IN list(${JSON.stringify(holding)}))
      OR EXISTS (SELECT 1 FROM lanes WHERE kind = 'code' AND ready_at <= ${now})
      OR EXISTS (SELECT 1 FROM sends WHERE state = 'scheduled' AND due_at <= ${serviceNow})`)
  return found !== undefined
}

/** Sends that come due in one commit; the next claim finds the rest. */
const MOST_IN_ONE_COMMIT = 256

function* putDueIntoLanes(tx: Tx, serviceNow: number, now: number): Steps<void> {
  const due = yield* all<{ id: string }>(sql`
    SELECT id FROM sends WHERE state = 'scheduled' AND due_at <= ${serviceNow}
    ORDER BY due_at, seq LIMIT ${MOST_IN_ONE_COMMIT}`)
  for (const { id } of due) {
    // A send that comes due joins its lane as if it were recorded now: the sends that wait there keep their place.
    const send = yield* one<{ lane: string }>(sql`
      UPDATE sends SET state = 'ready', seq = next(sends) WHERE id = ${id} RETURNING lane`)
    if (send) yield* wakeLane(tx, send.lane, 'send', now)
  }
}

/**
 * Commits that an attempt begins, and by which of the two bodies. `gone`: the send was cancelled since it was
 * claimed, or then asked for again, for later or with other bytes than those that the caller holds. `lost`: the lane
 * was lost.
 *
 * One conditional statement, since the send may have been
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
