import { markSent } from '../items/customers.ts'
import { deliverOwn } from '../items/insert-item.ts'
import { customerLane, holdsLane, makeHeldLane, releaseLane, stands, wakeLane } from '../lanes/lanes.ts'
import { insertSend, newRow } from './open-send.ts'
import {
  dueSend,
  findRow,
  findSend,
  headOfLane,
  IN_LANE,
  presentSend,
  type Row,
  sendFacts,
  sendOf,
  shown,
} from './sends.ts'
import { adoptStatuses } from './statuses.ts'
import { changeThrottle, noteProbe } from './throttles.ts'
import { all, one, run, sql, type Steps, type Tx, when } from '../steps.ts'
import {
  type CustomerOfNumber,
  type DueSend,
  type Fence,
  type NewSend,
  type Next,
  numberOf,
  type OpenedCode,
  type Resolution,
  type Resolved,
  type SendRow,
  type SendSettlement,
  type Settled,
  type ThrottleMove,
} from '../../port/index.ts'
import { AT_ONCE } from '../../rules/items.ts'
import {
  A_RERUN_ASKS,
  causeOfTelling,
  isToldOf,
  resendOf,
  resolutionsOf,
  resolvedAs,
  sendChange,
  type SendChange,
} from '../../rules/send-settlement.ts'
import { type EarlierCode, mayBegin, openingOfCode } from '../../rules/sends.ts'

/**
 * Settles an attempt and gives the lane's next send, or releases the lane. The lane of a one-time code is kept until
 * the code is settled, and ends with it. Never dropped, like `settleItem`.
 *
 * With `isAwaited`, which tells whether a caller in this process waits for the send and is asked within the commit: a
 * send that failed and that nobody waits for is told of, by an item that is written in the same commit.
 */
export function* settleSend(
  tx: Tx,
  fence: Fence,
  send: string,
  settlement: SendSettlement,
  { now, goOn, room }: Next,
  throttle?: ThrottleMove,
  isAwaited?: () => boolean,
): Steps<Settled<DueSend>> {
  const { lane } = fence
  if (!(yield* writeSettlement(fence, send, settlement, now))) return { held: false, next: undefined }
  if (isAwaited && isEnd(settlement)) yield* tellIfFailed(tx, send, now, isAwaited())
  if (throttle) yield* changeThrottle(tx, throttle, now)
  // A one-time code keeps its lane until it is settled: nobody else has its real body.
  if ((yield* endIdleLane(lane)) || (yield* isCode(lane))) return { held: true, next: undefined }
  const number = numberOf(lane)
  const mayGoOn = goOn && tx.newerSchema() === undefined && room?.take(number) !== false
  const following = yield* nextSendOrRelease(tx, lane, now, mayGoOn)
  if (mayGoOn && !following) room?.give(number)
  return { held: true, next: following }
}

function isEnd({ as }: SendSettlement): boolean {
  return as === 'refused' || as === 'unknown' || as === 'skipped'
}

/** Most lanes have nothing more, and one statement finds that and ends them. */
function* endIdleLane(lane: string): Steps<boolean> {
  const ended = yield* run(sql`
    DELETE FROM lanes WHERE key = ${lane} AND NOT EXISTS (SELECT 1 FROM sends WHERE lane = ${lane} AND ${IN_LANE})`)
  return ended > 0
}

/** The first send of a held lane, if it is ready and its number's throttle lets it out; else the lane is released. */
export function* nextSendOrRelease(tx: Tx, lane: string, now: number, goOn: boolean): Steps<DueSend | undefined> {
  const head = yield* headOfLane(lane)
  const facts = head && goOn && head.next_at <= now ? yield* sendFacts(head) : undefined
  const may = facts && mayBegin(facts.throttle, now)
  if (!head || !facts || may === 'no') {
    yield* releaseLane(lane, head?.next_at, now)
    if (head) tx.wake('sends')
    return undefined
  }
  if (may === 'probe') yield* noteProbe(head.number, now)
  return dueSend(head, facts)
}

/**
 * Writes into a send's row what a settlement changes by the rule `sendChange`. False if the lane was lost: nothing is
 * changed then.
 */
function* writeSettlement(fence: Fence, send: string, settlement: SendSettlement, now: number): Steps<boolean> {
  const change = sendChange(settlement, now)
  const at = settlement.as === 'accepted' ? settlement.at : undefined
  const isWritten = change.to === 'accepted' ? yield* accept(fence, send, change, at) : yield* put(fence, send, change)
  // A send that was put off before an attempt at it began may have been cancelled meanwhile, and its lane is held.
  return isWritten || (yield* holdsLane(fence))
}

type Accepted = Extract<SendChange, { to: 'accepted' }>

/** @param at service time of the answer. */
function* accept(fence: Fence, send: string, change: Accepted, at: number | undefined): Steps<boolean> {
  const { messageId, upstreamId } = change
  const to = yield* one<CustomerOfNumber & { strays: unknown }>(sql`
    UPDATE sends SET state = 'accepted', message_id = ${messageId}, upstream_id = ${upstreamId},
      possibly_twice = ${change.possiblyTwice}, code = NULL, reason = NULL, settled_at = ${change.settledAt}
    WHERE id = ${send} AND ${stands(fence)}
    RETURNING number, customer,
      EXISTS (SELECT 1 FROM stray_statuses WHERE message IN (${messageId}, ${upstreamId})) AS strays`)
  if (!to) return false
  if (to.strays) yield* adoptStatuses(messageId, upstreamId)
  if (at !== undefined) yield* markSent(to, at)
  return true
}

function* put(fence: Fence, send: string, change: Exclude<SendChange, Accepted>): Steps<boolean> {
  if (change.to === 'unchanged') return false
  const columns = columnsOf(change)
  const isOpen = when(change.to === 'waiting', () => sql`AND settled_at IS NULL`)
  return (yield* run(sql`UPDATE sends SET ${columns} WHERE id = ${send} ${isOpen} AND ${stands(fence)}`)) > 0
}

function columnsOf(change: Extract<SendChange, { to: 'ended' | 'waiting' | 'fallback' }>) {
  switch (change.to) {
    case 'ended':
      return sql`
        state = ${change.state}, code = ${change.code}, reason = ${change.reason}, settled_at = ${change.settledAt}
        ${when(change.marksRepeated, () => REPEATS_MARKED)}`
    case 'waiting':
      return sql`
        state = ${change.state}, code = ${change.code}, reason = ${change.reason}, next_at = ${change.nextAt},
        held_from = NULL ${when(change.takesBackAttempt, () => ATTEMPT_TAKEN_BACK)}`
    case 'fallback':
      return sql`
        state = 'ready', via = 'template', attempts = 0, first_attempt_at = NULL, attempting_since = NULL,
        next_at = ${change.nextAt}`
  }
}

const REPEATS_MARKED = sql`, possibly_twice = CASE WHEN attempts > 1 THEN 1 ELSE possibly_twice END`

const ATTEMPT_TAKEN_BACK = sql`,
  attempts = greatest(0, attempts - 1), first_attempt_at = CASE WHEN attempts > 1 THEN first_attempt_at END`

/**
 * Settles or resends a send by a person's word. `accepted`: it did arrive. `resend`: the same bytes go out under the
 * same key, as `possiblyTwice` if the first ones may have arrived; then without a fallback, which has another key, so
 * that the service could not tell the two apart. `drop`: settled for good, and no rerun opens it again. Nothing is
 * changed if its state does not allow that (the rule `resolutionsOf`). Undefined if there is no such send.
 */
export function* resolveSend(tx: Tx, id: string, as: Resolution, now: number): Steps<Resolved | undefined> {
  const row = yield* findRow({ id })
  if (!row) return undefined
  const send = yield* shown(row)
  const was = send.state
  if (!resolutionsOf(send).includes(as)) return { done: false, was, send }
  if (as === 'resend') yield* resend(tx, row, now)
  else yield* settle(id, as, now)
  return { done: true, was, send: yield* presentSend(id) }
}

function* settle(id: string, as: Exclude<Resolution, 'resend'>, now: number): Steps<void> {
  const { state, reason } = resolvedAs(as)
  yield* run(sql`
    UPDATE sends SET state = ${state}, code = NULL, reason = ${reason}, held_from = NULL, settled_at = ${now}
    WHERE id = ${id}`)
}

function* resend(tx: Tx, row: Row, now: number): Steps<void> {
  const { isScheduled, possiblyTwice, dropsFallback } = resendOf({
    ...(yield* shown(row)),
    heldFrom: row.held_from ?? undefined,
  })
  yield* run(sql`
    UPDATE sends SET state = ${isScheduled ? 'scheduled' : 'ready'}, code = NULL, reason = NULL, possibly_twice = ${possiblyTwice},
      fallback_key = ${dropsFallback ? null : row.fallback_key},
      fallback_body = ${dropsFallback ? null : row.fallback_body},
      attempts = 0, first_attempt_at = NULL, attempting_since = NULL, next_at = ${AT_ONCE}, held_from = NULL,
      expires_at = NULL, unless_muted = 0, settled_at = NULL, awaited_until = NULL
    WHERE id = ${row.id}`)
  if (!isScheduled) yield* wakeLane(tx, row.lane, 'send', now)
}

/**
 * Takes back a send that surely did not go out yet and is not under way. False if there is none.
 *
 * One conditional statement, since a worker may begin the send at the same
 * moment. A send that a restored database holds may have gone out after the backup was taken, so it is taken back only
 * if no attempt had begun.
 */
export function* cancelSend(key: string, now: number): Steps<boolean> {
  const cancelled = yield* run(sql`
    UPDATE sends SET state = 'cancelled', settled_at = ${now}, held_from = NULL, code = NULL, reason = NULL
    WHERE key = ${key} AND state IN ('scheduled', 'ready', 'held') AND withheld = 0
      AND (held_from IS NULL OR first_attempt_at IS NULL)`)
  return cancelled > 0
}

/**
 * Tells of a send that has failed, in the commit that settles it: a delivery of the bot's own, whose id is the send's,
 * with one item in the lane of the customer's statuses.
 */
function* tellIfFailed(tx: Tx, id: string, now: number, isAwaited = false): Steps<void> {
  const send = yield* presentSend(id)
  if (!isToldOf(send, isAwaited) || (yield* isForgotten(send))) return
  const { number, customer, state, code, reason, ref, settledAt, trace } = send
  const own = {
    kind: 'send_failed',
    id,
    says: JSON.stringify({ send: id, ref, state, code, reason, settledAt }),
    number,
    customer,
    lane: `${customerLane(send)}/status`,
    at: now,
    trace,
    cause: causeOfTelling,
  } as const
  yield* deliverOwn(tx, own, now)
}

/** The send was under way when its customer was forgotten. */
function* isForgotten({ id, number, customer }: SendRow): Steps<boolean> {
  return (
    (yield* one(sql`
      SELECT 1 FROM forgotten f JOIN sends s ON s.id = ${id} AND f.upto >= s.seq
      WHERE f.number = ${number} AND f.customer = ${customer} AND f.what = 'sends'`)) !== undefined
  )
}

/**
 * A caller waits no more for a send, and is told of it as the answer shows it: a send that fails later is told of, and
 * one that has ended is not told of again. Undefined if there is no such send.
 */
export function* stopAwaiting(id: string): Steps<SendRow | undefined> {
  yield* run(sql`
    UPDATE sends SET awaited_until = CASE WHEN settled_at IS NULL THEN NULL ELSE number(${A_RERUN_ASKS}) END WHERE id = ${id}`)
  return yield* findSend({ id })
}

/**
 * Records a one-time code, whose body is withheld here, in a lane of its own that the caller holds. Its key is the
 * first of `keys` that no earlier code of the same cause and slot has: a new generation for each new code, raised
 * before the code goes out, three at most. A code whose holder is gone is `lost_code`; with `tells` it is told of.
 */
export function* openCode(
  tx: Tx,
  send: NewSend,
  keys: readonly string[],
  lease: { owner: string; until: number; now: number; tells?: boolean },
): Steps<OpenedCode> {
  yield* loseCodes(tx, lease)
  const earlier = yield* all<EarlierCode>(sql`
    SELECT id, state, customer FROM sends
    WHERE cause = ${send.cause} AND slot = ${send.slot} AND number = ${send.number} AND withheld = 1 ORDER BY seq`)
  const opening = openingOfCode(send.customer, earlier, keys.length)
  if (opening.found === 'known') return { found: 'known', send: yield* presentSend(opening.id) }
  if (opening.found === 'used_up') return opening
  const row = { ...newRow(send, { state: 'ready' }), key: keys[opening.generation] as string, withheld: 1 }
  yield* insertSend(row)
  return {
    found: 'new',
    send: sendOf(row, undefined),
    fence: yield* makeHeldLane(send.lane, 'code', { ...lease, until: lease.until + tx.waitedMs }),
  }
}

/** The lane is that of a one-time code. Its key does not tell: a number may be called `code`. */
function* isCode(lane: string): Steps<boolean> {
  return (yield* one(sql`SELECT 1 FROM lanes WHERE key = ${lane} AND kind = 'code'`)) !== undefined
}

/** Settles codes whose process no longer renews its hold on them: they were in its memory alone. */
export function* loseCodes(tx: Tx, { now, tells = false }: { now: number; tells?: boolean }): Steps<void> {
  const expired = yield* all<{ key: string }>(sql`SELECT key FROM lanes WHERE kind = 'code' AND ready_at <= ${now}`)
  for (const { key } of expired) {
    const lost = yield* all<{ id: string }>(sql`
      UPDATE sends SET state = 'lost_code', settled_at = ${now},
        reason = 'the process that had this code in its memory is gone'
      WHERE lane = ${key} AND settled_at IS NULL RETURNING id`)
    if (tells) for (const { id } of lost) yield* tellIfFailed(tx, id, now)
    yield* run(sql`DELETE FROM lanes WHERE key = ${key}`)
  }
}
