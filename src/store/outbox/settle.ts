import { markSent } from '../customers/customer.ts'
import { eachDoes } from '../database/effects-of-features.ts'
import { AT_ONCE } from '../work/item-rules.ts'
import { resendOf, resolutionsOf, resolvedAs, type Resolution } from './send-resolutions.ts'
import { conditionsOf, type DueSend, type SendSettlement } from './send-attempts.ts'
import { isByPerson, mayBegin } from './send-rules.ts'
import { GREATEST, inTexts, numberValue, type Query, raw, sql, when } from '../database/sql.ts'
import { grouped, notByIndex, pick, update } from '../database/statements.ts'
import { sends, statuses, type SendRow, type SendState } from '../database/outbox-tables.ts'
import { all, one, execute, type Steps, type Tx } from '../database/steps.ts'
import { enterLane, leaveLane, promote, type Fence, type Begun, type Next, isAlive } from '../work/lanes.ts'
import { takeRow } from './claim.ts'
import { A_RERUN_ASKS, answerFailed, reportIfFailed } from './failed-sends.ts'
import { endLaterParts, resumeLaterParts } from './parts.ts'
import { findRow, findSend, presentSend, type Row, shown } from './rows.ts'
import { adoptStatuses, hasFailed } from './statuses.ts'
import { changeThrottle, noteProbe, type ThrottleMove } from './throttles.ts'
import type { Settled } from '../work/settle.ts'

/**
 * Stores the result of an attempt at a send. The commit is repeated until it succeeds. `isAwaited` is called within the
 * commit. A failure for which no caller waits is reported.
 */
export function* settleSend(
  tx: Tx,
  fence: Fence,
  send: string,
  settlement: SendSettlement,
  next: Next,
  throttle?: ThrottleMove,
  isAwaited?: () => boolean,
): Steps<Settled<DueSend>> {
  const { now } = next
  const left = yield* writeSettlement(fence, send, settlement, now)
  if (!left) return { stands: settlement.as === 'not_begun', next: undefined }
  if (FAILURES.has(settlement.as)) {
    yield* answerFailed(left, now)
    if (isAwaited) yield* reportIfFailed(tx, send, now, isAwaited())
  }
  // If a part was resumed, it is now the first of its lane.
  const resumed = left.part_of !== null && CERTAIN_ENDS.has(settlement.as) && (yield* resumeLaterParts(tx, left))
  if (throttle) yield* changeThrottle(tx, throttle, now)
  if (left.withheld === 1) return { stands: true, next: undefined }
  // A send that is tried again stays the first of its lane.
  const isLast = left.place === null && !resumed
  if (isLast && (left.followed === 0 || (yield* promote('sends', fence.lane)) === undefined)) return FREE
  return { stands: true, next: yield* beginNextSend(tx, fence, next) }
}

const FREE: Settled<DueSend> = { stands: true, next: undefined }
const FAILURES: ReadonlySet<SendSettlement['as']> = new Set(['refused', 'unknown', 'skipped'])
const CERTAIN_ENDS: ReadonlySet<SendSettlement['as']> = new Set(['accepted', 'refused', 'skipped'])

function* beginNextSend(tx: Tx, { lane, owner }: Fence, { now, goOn }: Next): Steps<Begun<DueSend> | undefined> {
  const row = yield* one<Row>(sql`SELECT * FROM ${sends} WHERE lane = ${lane} AND place < 2`)
  const begins =
    goOn && tx.databaseState.newerSchema === undefined && row && row.next_at <= now && (yield* isAlive(tx, owner))
  const conditions = begins ? yield* conditionsOf(tx, row) : undefined
  const may = conditions ? mayBegin(conditions.throttle, now) : 'no'
  if (!row || !conditions || may === 'no') {
    tx.wake('sends')
    return undefined
  }
  if (may === 'probe') {
    tx.alone()
    yield* noteProbe(row.number, now)
  }
  return yield* takeRow(row, may === 'probe' ? yield* conditionsOf(tx, row) : conditions, owner)
}

const LEFT = [
  'number',
  'customer',
  'place',
  'followed',
  'withheld',
  'part_of',
  'part',
  'cause',
  'slot',
  'writer',
  'seen',
] as const

type Left = Pick<Row, (typeof LEFT)[number]>

const ACCEPTED = grouped(
  pick(sends, 'id', 'owner', 'run', 'message_id', 'upstream_id', 'possibly_twice', 'settled_at'),
  ({ id, owner, run, ...accepted }) =>
    update(
      sends,
      { ...accepted, state: 'accepted', code: null, reason: null, place: null, owner: null },
      sql`id = ${id} AND owner = ${owner} AND run = ${run} AND ${notByIndex(sends.place, 1)}`,
      LEFT,
    ),
)

const STRAYS = grouped(
  pick(sends, 'message_id', 'upstream_id'),
  ({ message_id, upstream_id }) => sql`
    SELECT 1 AS found FROM ${statuses} WHERE stray = 1 AND message IN (${message_id}, ${upstream_id}) LIMIT 1`,
)

function* writeSettlement(
  fence: Fence,
  send: string,
  settlement: SendSettlement,
  now: number,
): Steps<Left | undefined> {
  if (settlement.as === 'accepted') return yield* writeAcceptance(fence, send, settlement, now)
  return yield* one<Left>(sql`
    UPDATE ${sends} SET ${columnsOf(settlement, now)}
    WHERE id = ${send} AND owner = ${fence.owner} AND run = ${fence.run} AND place = 1
    RETURNING ${raw(LEFT.join(', '))}`)
}

function answered(send: Left, now: number): Steps<void> {
  const answer = { upto: send.seen ?? 0, by: send.writer }
  return eachDoes(({ personAnswered }) => personAnswered?.(send, answer, now))
}

type Accepted = Extract<SendSettlement, { as: 'accepted' }>

function* writeAcceptance(
  { owner, run }: Fence,
  send: string,
  { messageId, upstreamId, possiblyTwice, at }: Accepted,
  now: number,
): Steps<Left | undefined> {
  const left = yield* one(
    ACCEPTED({
      id: send,
      owner,
      run,
      message_id: messageId,
      upstream_id: upstreamId,
      possibly_twice: Number(possiblyTwice),
      settled_at: now,
    }),
  )
  if (!left) return undefined
  const areStrays = (yield STRAYS({ message_id: messageId, upstream_id: upstreamId })).rows.length > 0
  if (areStrays) yield* adoptStatuses(left.number, messageId, upstreamId)
  if (at !== undefined) yield* markSent(left, at)
  if (isByPerson(left)) {
    yield* answered(left, now)
    // The service may report the failure before it answers the send.
    if (areStrays && (yield* hasFailed(left.number, messageId, upstreamId))) yield* answerFailed(left, now)
  }
  return left
}

function columnsOf(settlement: Exclude<SendSettlement, Accepted>, now: number): Query {
  switch (settlement.as) {
    case 'refused':
    case 'unknown':
    case 'skipped':
      return sql`
        ${because(settlement)}, settled_at = ${now}, place = NULL, owner = NULL
        ${when(settlement.as === 'unknown' && settlement.surelyOnce !== true, () => REPEATS_MARKED)}`
    case 'ready':
    case 'attempting':
      return sql`${because(settlement)}, next_at = ${settlement.at}, ${STAYS_FIRST}`
    case 'held':
      return sql`state = 'held', code = ${settlement.code}, reason = ${settlement.reason}, place = NULL, owner = NULL`
    case 'postponed':
      // The number's throttle has the reason. No attempt is counted.
      return sql`
        state = 'ready', code = NULL, reason = NULL, next_at = ${AT_ONCE}, ${STAYS_FIRST},
        attempts = ${GREATEST}(0, attempts - 1), first_attempt_at = CASE WHEN attempts > 1 THEN first_attempt_at END`
    case 'fall_back':
      return sql`
        state = 'ready', via = 'template', attempts = 0, first_attempt_at = NULL, attempting_since = NULL,
        next_at = ${AT_ONCE}, ${STAYS_FIRST}`
    case 'not_begun':
      return sql`place = 0, owner = NULL`
  }
}

function because({ as, code, reason }: { as: SendState; code: string | undefined; reason: string }): Query {
  return sql`state = ${as}, code = ${code}, reason = ${reason}`
}

const STAYS_FIRST = sql`
  place = CASE withheld WHEN 1 THEN 1 ELSE 0 END, owner = CASE withheld WHEN 1 THEN owner END`

const REPEATS_MARKED = sql`, possibly_twice = CASE WHEN attempts > 1 THEN 1 ELSE possibly_twice END`

// ── people ──────────────────────────────────────────────────────────────────────────────────────────

/**
 * Stores a person's decision about a send. `resend`: the same bytes and key go out, marked `possiblyTwice` if the first
 * request may have arrived. `drop`: no rerun opens the send again.
 */
export function* resolveSend(tx: Tx, id: string, as: Resolution, now: number) {
  const row = yield* findRow({ id })
  if (!row) return undefined
  const send = yield* shown(row)
  const was = send.state
  if (!resolutionsOf(send).includes(as)) return { done: false, was, send }
  if (as === 'resend') yield* resend(tx, row)
  else {
    const { state, reason } = resolvedAs(as)
    yield* execute(sql`
      UPDATE ${sends} SET state = ${state}, code = NULL, reason = ${reason}, held_from = NULL, settled_at = ${now}
      WHERE id = ${id}`)
    yield* leaveLane(tx, row)
    if (isByPerson(row)) yield* as === 'accepted' ? answered(row, now) : answerFailed(row, now)
  }
  yield* resumeLaterParts(tx, row, { ended: as !== 'drop' })
  return { done: true, was, send: yield* presentSend(id) }
}

function* resend(tx: Tx, row: Row): Steps<void> {
  const { isScheduled, possiblyTwice, dropsFallback } = resendOf({
    ...(yield* shown(row)),
    heldFrom: row.held_from ?? undefined,
  })
  yield* execute(sql`
    UPDATE ${sends} SET state = ${isScheduled ? 'scheduled' : 'ready'}, code = NULL, reason = NULL,
      possibly_twice = ${possiblyTwice}, fallback_key = ${dropsFallback ? null : row.fallback_key},
      fallback_body = ${dropsFallback ? null : row.fallback_body},
      attempts = 0, first_attempt_at = NULL, attempting_since = NULL, next_at = ${AT_ONCE}, held_from = NULL,
      expires_at = NULL, reply = 0, settled_at = NULL, awaited_until = NULL
    WHERE id = ${row.id}`)
  if (isScheduled) return
  if (row.place === null) yield* enterLane('sends', row.seq, row.lane, AT_ONCE)
  tx.wake('sends')
}

/**
 * Cancels a send. A send that is held after a restore may have gone out since the backup, so it is cancelled only if no
 * attempt had begun.
 */
export function* cancelSend(tx: Tx, key: string, now: number): Steps<boolean> {
  const rows = yield* all<Row>(sql`
    SELECT * FROM ${sends} WHERE key = ${key} AND state IN ('scheduled', 'ready', 'held') AND withheld = 0
      AND (held_from IS NULL OR first_attempt_at IS NULL)`)
  yield* cancelAll(tx, rows, now)
  for (const row of rows) yield* endLaterParts(tx, row, now)
  return rows.length > 0
}

/**
 * Cancels sends. A send that was held after a restore may have gone out: if a person sends it again, it is marked
 * `possiblyTwice`.
 */
export function* cancelAll(tx: Pick<Tx, 'wake'>, rows: readonly Row[], now: number, reason?: string): Steps<void> {
  if (rows.length === 0) return
  yield* execute(sql`
    UPDATE ${sends} SET state = 'cancelled', settled_at = ${now}, code = NULL, reason = ${reason},
      possibly_twice = CASE WHEN held_from IS NULL THEN possibly_twice ELSE 1 END, held_from = NULL
    WHERE id ${inTexts(rows.map(({ id }) => id))}`)
  for (const row of rows) {
    if (row.place !== null) yield* leaveLane(tx, row)
    yield* answerFailed(row, now)
  }
}

/**
 * Ends the wait of a caller. If the send fails later, the failure is reported. A send that has ended is not reported
 * again.
 */
export function* stopAwaiting(id: string): Steps<SendRow | undefined> {
  yield* execute(sql`
    UPDATE ${sends} SET awaited_until = CASE WHEN settled_at IS NULL THEN NULL ELSE ${numberValue(A_RERUN_ASKS)} END WHERE id = ${id}`)
  return yield* findSend({ id })
}
