import { createHash } from 'node:crypto'
import { makeHeldLane, stands, wakeLane } from '../lanes/lanes.ts'
import { cameBack } from './restored.ts'
import { dueSend, findRow, type NewRow, type Row, sendFacts, type SendFacts, sendOf, shown } from './sends.ts'
import { one, run, sql, type Steps, type Tx } from '../steps.ts'
import type { BeginningSend, Fence, NewSend, OpenedSend } from '../../port/index.ts'
import { AT_ONCE } from '../../rules/items.ts'
import { hasEnded, isGoingOut, mayBegin, type Opening, openingOf, type SendStart, startOf } from '../../rules/sends.ts'

/**
 * Records a send under its key before a byte leaves. A known key gives the recorded send back; one that was surely
 * not sent (refused, skipped, cancelled) is opened again with the new body. A reply is skipped while the bot is muted
 * for its customer; any send is held while its number is stopped. Undefined if the lane of the fence was lost.
 *
 * With `begin`, the attempt begins in the same commit if the send may go out now: its lane is idle, its number's
 * throttle is open, `begin.via` agrees, and the process has room. The answer then has the lane, held, and the send as
 * `beginSend` leaves it.
 */
export function* openSend(
  tx: Tx,
  send: NewSend,
  { fence, begin }: { fence?: Fence | undefined; begin?: BeginningSend | undefined } = {},
): Steps<OpenedSend | undefined> {
  const lookedUp = yield* lookUp(send, fence)
  if (!lookedUp.held) return undefined
  const known = lookedUp.known ? yield* findRow({ key: send.key }) : undefined
  const opening = openingUnder(known, send)
  if (opening.found === 'known') return yield* recall(known as Row, opening, send)

  const facts = yield* sendFacts(send)
  const row = awaitedIfGoingOut(startingRow(send, facts, Boolean(lookedUp.came_back), known), facts)
  const mayGoOut = begin && !lookedUp.busy && tx.newerSchema() === undefined
  const begun = mayGoOut ? begunRow(row, facts, begin) : undefined
  yield* known ? reopenSend(begun ?? row) : insertSend(begun ?? row)
  if (begin && begun) {
    const { owner, now, leaseMs } = begin
    const taken = yield* makeHeldLane(send.lane, 'send', { owner, now, until: now + tx.waitedMs + leaseMs })
    return openedSend(begun, facts, opening.found, taken)
  }
  if (row.state === 'ready') yield* wakeLane(tx, send.lane, 'send', send.createdAt)
  return openedSend(row, facts, opening.found, undefined)
}

/**
 * Records a send that is to go out later, in a transaction that may stay open for long: no row that others write is
 * touched, neither its lane nor a send that may be under way.
 */
export function* openSendLater(send: NewSend): Steps<OpenedSend> {
  const known = yield* findRow({ key: send.key })
  const opening = openingUnder(known, send)
  if (opening.found === 'known') return { send: yield* shown(known as Row), found: 'known', diverged: opening.diverged }
  const facts = yield* sendFacts(send)
  const row = startingRow(send, facts, false, known)
  yield* known ? reopenSend(row) : insertSend(row)
  return { send: sendOf(row, undefined), found: opening.found, diverged: false }
}

function openingUnder(known: Row | undefined, send: NewSend): Opening {
  const asked = { customer: send.customer, body: send.body, askedDigest: askedDigest(send) }
  return openingOf(asked, known && { ...known, askedDigest: known.asked ?? undefined })
}

/**
 * The answers of the tables about a send that is to be recorded: the fence stands (`held`), a send lies under its key
 * (`known`), its lane has a row (`busy`), and the delivery that it answers came back with a backup. Each is 1 or 0, or
 * true or false, as the engine has conditions.
 */
interface LookedUp {
  readonly held: unknown
  readonly known: unknown
  readonly busy: unknown
  readonly came_back: unknown
}

/** Looks for the rows on which a send depends. Its lane has one while something waits in it or somebody works on it. */
function* lookUp(send: NewSend, fence: Fence | undefined): Steps<LookedUp> {
  const lookedUp = yield* one<LookedUp>(sql`
    SELECT ${fence ? stands(fence) : sql`1`} AS held, ${fence ? cameBack(fence.lane, send) : sql`0`} AS came_back,
      EXISTS (SELECT 1 FROM sends WHERE key = ${send.key}) AS known,
      EXISTS (SELECT 1 FROM lanes WHERE key = ${send.lane}) AS busy`)
  return lookedUp as LookedUp
}

function* recall(
  known: Row,
  { diverged, marks }: Extract<Opening, { found: 'known' }>,
  { awaitedUntil }: NewSend,
): Steps<OpenedSend> {
  const send = yield* shown(known)
  if (awaitedUntil !== undefined && isGoingOut(send.state))
    yield* run(sql`
      UPDATE sends SET awaited_until = greatest(coalesce(awaited_until, 0), ${awaitedUntil}) WHERE id = ${known.id}`)
  if (marks) yield* run(sql`UPDATE sends SET diverged = 1 WHERE id = ${known.id}`)
  return { send: { ...send, diverged: marks || send.diverged }, found: 'known', diverged }
}

/** The row of a send that is recorded now; a column that is added to `Row` does not compile until it is here. */
export function newRow(send: NewSend, at: SendStart): NewRow {
  const { id, key, number, customer, lane, cause, slot, via, body, fallback, createdAt } = send
  return {
    id,
    key,
    number,
    customer,
    lane,
    cause,
    slot,
    ref: send.ref ?? null,
    delivery: send.delivery ?? null,
    state: at.state,
    via,
    body,
    fallback_key: fallback?.key ?? null,
    fallback_body: fallback?.body ?? null,
    attempts: 0,
    first_attempt_at: null,
    attempting_since: null,
    next_at: AT_ONCE,
    message_id: null,
    upstream_id: null,
    code: at.code ?? null,
    reason: at.reason ?? null,
    possibly_twice: 0,
    diverged: 0,
    created_at: createdAt,
    settled_at: hasEnded(at) ? createdAt : null,
    asked: askedDigest(send) ?? null,
    due_at: send.dueAt ?? null,
    expires_at: send.expiresAt ?? null,
    withheld: 0,
    unless_muted: send.unlessMutedAt === undefined ? 0 : 1,
    held_from: at.state === 'held' ? 'ready' : null,
    awaited_until: send.awaitedUntil ?? null,
    trace: send.trace ?? null,
  }
}

/** Undefined if the body itself is what the app asked for. */
function askedDigest({ asked, body }: NewSend): string | undefined {
  if (asked === undefined || asked === body) return undefined
  return createHash('sha256').update(asked).digest('base64url')
}

/** Columns that are not named have their defaults until something is known. */
export function* insertSend(row: NewRow): Steps<void> {
  yield* run(sql`
    INSERT INTO sends (
      seq, id, key, number, customer, lane, cause, slot, ref, state, via, body, fallback_key, fallback_body, next_at, code,
      reason, created_at, settled_at, asked, due_at, expires_at, withheld, unless_muted, held_from, attempts,
      first_attempt_at, attempting_since, delivery, awaited_until, trace)
    VALUES (
      next(sends), ${row.id}, ${row.key}, ${row.number}, ${row.customer}, ${row.lane}, ${row.cause}, ${row.slot}, ${row.ref},
      ${row.state}, ${row.via}, ${row.body}, ${row.fallback_key}, ${row.fallback_body}, ${row.next_at}, ${row.code},
      ${row.reason}, ${row.created_at}, ${row.settled_at}, ${row.asked}, ${row.due_at}, ${row.expires_at},
      ${row.withheld}, ${row.unless_muted}, ${row.held_from}, ${row.attempts}, ${row.first_attempt_at},
      ${row.attempting_since}, ${row.delivery}, ${row.awaited_until}, ${row.trace})`)
}

/** The row of a send that is opened again: it keeps its place and what was known of it. */
function reopenedRow(known: Row, send: NewSend, at: SendStart): NewRow {
  const { id, created_at, possibly_twice, diverged, message_id, upstream_id } = known
  return { ...newRow(send, at), id, created_at, possibly_twice, diverged, message_id, upstream_id }
}

function* reopenSend(row: NewRow): Steps<void> {
  yield* run(sql`
    UPDATE sends SET ref = ${row.ref}, state = ${row.state}, via = ${row.via}, body = ${row.body},
      fallback_key = ${row.fallback_key}, fallback_body = ${row.fallback_body}, next_at = ${row.next_at},
      code = ${row.code}, reason = ${row.reason}, settled_at = ${row.settled_at}, asked = ${row.asked},
      due_at = ${row.due_at}, expires_at = ${row.expires_at}, unless_muted = ${row.unless_muted},
      held_from = ${row.held_from}, attempts = ${row.attempts}, first_attempt_at = ${row.first_attempt_at},
      attempting_since = ${row.attempting_since}, awaited_until = ${row.awaited_until}, trace = ${row.trace}
    WHERE id = ${row.id}`)
}

export function startingRow(send: NewSend, facts: SendFacts, cameBack: boolean, known?: Row): NewRow {
  const { unlessMutedAt, needsInboundSince, dueAt } = send
  const at = startOf({ ...facts, unlessMutedAt, needsInboundSince, dueAt, cameBack })
  return known ? reopenedRow(known, send, at) : newRow(send, at)
}

/** The row of a send whose first attempt begins now; undefined if the send has to wait. */
export function begunRow(row: NewRow, facts: SendFacts, begin: BeginningSend): NewRow | undefined {
  if (row.state !== 'ready' || mayBegin(facts.throttle, begin.now) !== 'yes') return undefined
  const via = begin.via(dueSend(row, facts))
  if (via === undefined || !begin.room.take(row.number)) return undefined
  const { now } = begin
  return { ...row, state: 'attempting', via, attempts: 1, first_attempt_at: now, attempting_since: now }
}

/** Its caller has the answer at once, and does not wait. */
export function awaitedIfGoingOut(row: NewRow, { throttle }: SendFacts): NewRow {
  return isGoingOut(sendOf(row, throttle).state) ? row : { ...row, awaited_until: null }
}

/** The answer that a send was opened; `begun` is the lane of its attempt. */
export function openedSend(
  row: NewRow,
  facts: SendFacts,
  found: 'new' | 'reopened',
  fence: NonNullable<OpenedSend['begun']>['fence'] | undefined,
): OpenedSend {
  const opened = { send: sendOf(row, facts.throttle), found, diverged: false }
  return fence ? { ...opened, begun: { fence, work: { ...dueSend(row, facts), begun: true } } } : opened
}
