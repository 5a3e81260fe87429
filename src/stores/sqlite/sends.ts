import type { Claim, Claimed, DueSend, Fence, Held, SendSettlement, ThrottleChange, Via } from '../port/index.ts'
import { loseCodes } from './codes.ts'
import type { Sql } from './connection.ts'
import type { Tx } from './group-commit.ts'
import { earliestLane, holdsLane, releaseLane, takeLanes } from './lanes.ts'
import { lastMute } from './mutes.ts'
import { releaseDue } from './scheduled.ts'
import { newerSchema } from './schema-version.ts'
import { headOfLane, sendOf } from './send-rows.ts'
import { beginProbe, changeThrottle, throttleOf } from './throttles.ts'
import { writeSettlement } from './write-settlement.ts'

/** Takes lanes of sends that are due: see `Store.claimSends`. */
export function claimSends(tx: Tx, claim: Claim): Claimed<DueSend> {
  const newer = newerSchema(tx.sql)
  if (newer !== undefined) return { held: [], nextAt: undefined, newerSchema: newer }
  loseCodes(tx, claim.now)
  releaseDue(tx, claim.serviceNow ?? claim.now, claim.now)
  const held: Held<DueSend>[] = []
  for (const { fence } of takeLanes(tx, 'send', claim)) {
    const work = nextOrRelease(tx, fence.lane, claim.now, true)
    if (work) held.push({ fence, work })
  }
  return { held, nextAt: earliestLane(tx, 'send', claim, held) }
}

// One conditional statement, since the send may have been cancelled or opened again after it was claimed. The start of
// the earliest attempt whose outcome is unknown stays; after a definite answer the attempt counts from its own start.
const BEGIN = `
  UPDATE sends SET state = 'attempting', via = ?, attempts = attempts + 1,
    attempting_since = CASE WHEN state = 'attempting' THEN coalesce(attempting_since, ?) ELSE ? END,
    first_attempt_at = coalesce(first_attempt_at, ?)
  WHERE id = ? AND settled_at IS NULL AND held_from IS NULL AND state <> 'scheduled'
    AND coalesce(? IN (body, fallback_body), ? IS NULL)`

/** Commits that an attempt begins: see `Store.beginSend`. */
export function beginSend(
  tx: Tx,
  fence: Fence,
  send: string,
  via: Via,
  now: number,
  bytes: string | undefined,
): 'begun' | 'gone' | 'lost' {
  if (!holdsLane(tx, fence)) return 'lost'
  const expected = bytes ?? null
  return tx.sql(BEGIN).run(via, now, now, now, send, expected, expected).changes > 0 ? 'begun' : 'gone'
}

/** Settles an attempt and goes on with its lane: see `Store.settleSend`. */
export function settleSend(
  tx: Tx,
  fence: Fence,
  send: string,
  settlement: SendSettlement,
  next: { now: number; goOn: boolean },
  throttle: { number: string; move: ThrottleChange } | undefined,
): { held: boolean; next: DueSend | undefined } {
  if (!holdsLane(tx, fence)) return { held: false, next: undefined }
  writeSettlement(tx, send, settlement, next.now)
  if (throttle) changeThrottle(tx, throttle.number, throttle.move, next.now)
  const goOn = next.goOn && newerSchema(tx.sql) === undefined
  return { held: true, next: nextOrRelease(tx, fence.lane, next.now, goOn) }
}

const LAST_INBOUND = 'SELECT last_at FROM windows WHERE number = ? AND customer = ?'
const ANY_PENDING = 'SELECT 1 FROM pending LIMIT 1'

function nextOrRelease(tx: Tx, lane: string, now: number, goOn: boolean): DueSend | undefined {
  const head = headOfLane(tx.sql, lane)
  if (!head || head.next_at > now || !goOn || !beginProbe(tx, head.number, now)) {
    releaseLane(tx, lane, head?.next_at, now)
    if (head) tx.wake('sends')
    return undefined
  }
  return {
    send: sendOf(head),
    throttle: throttleOf(tx.sql, head.number),
    lastInboundAt: lastInboundAt(tx.sql, head.number, head.customer),
    unread: tx.sql(ANY_PENDING).get() !== undefined,
    mute: head.unless_muted === 1 ? lastMute(tx.sql, head.number, head.customer) : undefined,
  }
}

/** Service time of the customer's last message with a trusted time. */
function lastInboundAt(sql: Sql, number: string, customer: string): number | undefined {
  return (sql(LAST_INBOUND).get(number, customer) as { last_at: number } | undefined)?.last_at
}
