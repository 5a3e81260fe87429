import type {
  Claim,
  Claimed,
  DueSend,
  Fence,
  Held,
  Next,
  SendSettlement,
  Settled,
  ThrottleChange,
  Via,
} from '../port/index.ts'
import { lastInboundAt, lastMute } from './customers.ts'
import { headOfLane, sendOf } from './sends.ts'
import { writeSettlement } from './settle-send.ts'
import { one, run, sql, type Steps, type Tx, when } from './steps.ts'
import { beginProbe, changeThrottle, throttleOf } from './throttles.ts'
import { isCode, loseCodes } from './codes.ts'
import { earliestLane, holdsLane, releaseLane, takeLanes } from './lanes.ts'
import { releaseDue } from './scheduled.ts'

/** Takes lanes of sends that are due: see `Store.claimSends`. */
export function* claimSends(tx: Tx, claim: Claim): Steps<Claimed<DueSend>> {
  const newer = tx.newerSchema()
  if (newer !== undefined) return { held: [], nextAt: undefined, newerSchema: newer }
  yield* loseCodes(claim.now)
  yield* releaseDue(tx, claim.serviceNow ?? claim.now, claim.now)
  const held: Held<DueSend>[] = []
  for (const { fence } of yield* takeLanes('send', claim)) {
    const work = yield* nextOrRelease(tx, fence.lane, claim.now, true)
    if (work) held.push({ fence, work })
    else claim.room?.give()
  }
  return { held, nextAt: yield* earliestLane('send', claim, held) }
}

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
  if (!(yield* holdsLane(fence))) return 'lost'
  const begun = yield* run(sql`
    UPDATE sends SET state = 'attempting', via = ${via}, attempts = attempts + 1,
      attempting_since = CASE WHEN state = 'attempting' THEN coalesce(attempting_since, ${now}) ELSE ${now} END,
      first_attempt_at = coalesce(first_attempt_at, ${now})
    WHERE id = ${send} AND settled_at IS NULL AND held_from IS NULL AND state <> 'scheduled'
      ${when(bytes !== undefined, () => sql`AND ${bytes} IN (body, fallback_body)`)}`)
  return begun > 0 ? 'begun' : 'gone'
}

/** Settles an attempt and goes on with its lane: see `Store.settleSend`. */
export function* settleSend(
  tx: Tx,
  fence: Fence,
  send: string,
  settlement: SendSettlement,
  { now, goOn }: Next,
  throttle?: { number: string; move: ThrottleChange },
): Steps<Settled<DueSend>> {
  if (!(yield* holdsLane(fence))) return { held: false, next: undefined }
  yield* writeSettlement(send, settlement, now)
  if (throttle) yield* changeThrottle(tx, throttle.number, throttle.move, now)
  if (isCode(fence.lane)) return yield* keepUntilSettled(fence.lane)
  const mayGoOn = goOn && tx.newerSchema() === undefined
  return { held: true, next: yield* nextOrRelease(tx, fence.lane, now, mayGoOn) }
}

/** A one-time code keeps its lane until it is settled: nobody else has its real body. */
function* keepUntilSettled(lane: string): Steps<Settled<DueSend>> {
  if (!(yield* headOfLane(lane))) yield* run(sql`DELETE FROM lanes WHERE key = ${lane}`)
  return { held: true, next: undefined }
}

function* nextOrRelease(tx: Tx, lane: string, now: number, goOn: boolean): Steps<DueSend | undefined> {
  const head = yield* headOfLane(lane)
  if (!head || head.next_at > now || !goOn || !(yield* beginProbe(head.number, now))) {
    yield* releaseLane(lane, head?.next_at, now)
    if (head) tx.wake('sends')
    return undefined
  }
  return {
    send: sendOf(head),
    throttle: yield* throttleOf(head.number),
    lastInboundAt: yield* lastInboundAt(head),
    unread: (yield* one(sql`SELECT 1 FROM pending LIMIT 1`)) !== undefined,
    mute: head.unless_muted === 1 ? yield* lastMute(head) : undefined,
  }
}
