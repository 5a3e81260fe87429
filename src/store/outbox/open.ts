import { createHash } from 'node:crypto'
import {
  bodyTo,
  isGoingOut,
  mayBegin,
  type SendOpening,
  openingOf,
  PART_ENDED,
  type SendStart,
  startOf,
} from './send-rules.ts'
import {
  addressed,
  conditionsOf,
  type DueSend,
  dueSend,
  endBeforeAttempt,
  type SendConditions,
  type SendingRules,
  viaOf,
} from './send-attempts.ts'
import { AT_ONCE } from '../work/item-rules.ts'
import { GREATEST, NEXT_SEND, sql } from '../database/sql.ts'
import { grouped, insert, pick, select, update } from '../database/statements.ts'
import { columnsOf } from '../database/table.ts'
import { sends, type SendRow } from '../database/outbox-tables.ts'
import { exists, one, execute, type Steps, type Tx } from '../database/steps.ts'
import { concerning, type Shared } from '../database/engine.ts'
import {
  enterLane,
  leaveLane,
  markFollowed,
  type Fence,
  type Lease,
  type Begun,
  livingProcess,
  runState,
} from '../work/lanes.ts'
import { continueParts, removeLaterParts, shownParts } from './parts.ts'
import { findRow, type NewRow, type Row, sendRowOf, shown, type NewSend } from './rows.ts'
import { inbox } from '../database/inbox-tables.ts'
import { meta } from '../database/meta.ts'

export interface BeginningSend extends Lease {
  readonly rules: SendingRules
}

export interface OpenedSend {
  readonly send: SendRow
  /** `reopened`: the send surely did not go out before, and its body was replaced. */
  readonly found: 'new' | 'reopened' | 'known'
  /** True if the recorded bytes differ from those of the new request. */
  readonly diverged: boolean
  readonly begun?: Begun<DueSend>
  /** False if the app asked for another time and the send could not be moved to it. */
  readonly moved?: boolean | undefined
  readonly later: readonly SendRow[]
}

/**
 * Records a send. If its key is known, the recorded send is returned; one that was surely not sent is opened again with
 * the new body. Returns undefined if the fence, or a condition of the send, does not hold. With `begin` the send
 * begins if the rules let it go out now.
 */
export function* openSend(
  tx: Tx,
  send: NewSend,
  { fence, begin }: { fence?: Fence | undefined; begin?: BeginningSend | undefined } = {},
): Steps<OpenedSend | undefined> {
  if (fence && !(yield* mayRecord(fence, send))) return undefined
  if (send.onlyIf && !(yield* send.onlyIf())) return undefined
  const known = (yield KNOWN({ key: send.key })).rows.length > 0 ? yield* findRow({ key: send.key }) : undefined
  // The key belongs to a send of another customer, whose row this transaction has not locked.
  if (known && known.lane !== send.lane) tx.alone()
  const opening = openingUnder(known, send)
  if (opening.found === 'known') return yield* recall(tx, known as Row, opening, send)
  // A send with a known key passed this check when it was recorded.
  if (!known && send.byPerson?.onlyIf && !(yield* send.byPerson.onlyIf())) return undefined
  if (known?.state === 'ready') yield* leaveLane(tx, known)

  const conditions = yield* conditionsOf(tx, whoOf(send))
  const restored = yield* isRestored(tx, fence, send)
  const row = awaitedIfGoingOut(startingRow(send, conditions, restored, known), conditions)
  const process =
    begin && row.state === 'ready' && tx.databaseState.newerSchema === undefined
      ? yield* livingProcess(tx, begin)
      : undefined
  const attempting = begin && process !== undefined ? attemptingRow(row, conditions, begin, process) : undefined
  const stored = known ? yield* reopen(known, row, attempting, opening.moved) : yield* insertSend(row, attempting)
  // An app's own transaction has recorded the same key meanwhile.
  if (!stored) return yield* openSend(tx, send, { fence, begin })
  if (stored.place === 0) tx.wake('sends')
  if (send.byPerson?.recorded && stored.settled_at === null) yield* send.byPerson.recorded()
  if (known) yield* removeLaterParts(tx, known)
  const later = yield* insertLater(send, stored, conditions, restored)
  return openedSend(stored, conditions, { found: opening.found, moved: opening.moved, later })
}

/** Records the later parts of a message, in the commit of the first part and behind it. */
function* insertLater(
  { later = [], createdAt }: NewSend,
  first: NewRow,
  conditions: SendConditions,
  restored: boolean,
): Steps<readonly SendRow[]> {
  const rows: SendRow[] = []
  for (const part of later) {
    const begins = first.state !== 'skipped' && first.state !== 'refused'
    const ended = { state: 'skipped', ...PART_ENDED, settled_at: createdAt, awaited_until: null } as const
    const row = startingRow(part, conditions, restored)
    const stored = yield* insertSend(begins ? row : { ...row, ...ended })
    if (!stored) throw new Error(SAME_ID)
    rows.push(sendRowOf(stored, conditions.throttle))
  }
  return rows
}

/**
 * Returns true if the attempt may record this send. A handler that has forgotten its own customer may still reply to the
 * message that it handles, and records no other send.
 */
function* mayRecord(fence: Fence, { cause }: NewSend): Steps<boolean> {
  const state = yield* runState(fence)
  if (state !== 'forgetting') return state === 'running'
  return yield* exists(sql`SELECT 1 FROM ${inbox} WHERE id = ${Number(fence.of)} AND cause = ${cause}`)
}

const KNOWN = grouped({ key: sends.key }, ({ key }) => select(['id'], sends, { key }))

function* isRestored({ databaseState }: Tx, fence: Fence | undefined, { number }: NewSend): Steps<boolean> {
  if (databaseState.restoredUpto === undefined || !fence || Number(fence.of) > databaseState.restoredUpto) return false
  return !(yield* exists(sql`SELECT 1 FROM ${meta} WHERE name = ${`resumed:${number}`}`))
}

/**
 * Records a send in the app's own transaction, which may stay open for long. So it changes no row that others write:
 * neither its lane nor a send under way.
 */
export function* openSendLater(tx: Pick<Tx, 'databaseState'>, send: NewSend): Steps<OpenedSend> {
  const known = yield* findRow({ key: send.key })
  // A send that is in its lane stays there, because others write the rows around it.
  const opening = openingUnder(known?.state === 'ready' ? { ...known, attempts: 1 } : known, send)
  if (known && opening.found === 'known') {
    const { diverged, moved } = opening
    return { send: yield* shown(known), found: 'known', diverged, moved, later: yield* shownParts(known) }
  }
  const conditions = yield* conditionsOf(tx, whoOf(send))
  const row = startingRow(send, conditions, false, known)
  const isWritten = known ? yield* reopen(known, row, undefined, opening.moved) : (yield INSERT(row)).changes > 0
  if (isWritten) {
    if (known) yield* removeLaterParts({ wake() {} }, known)
    const later = yield* insertLater(send, row, conditions, false)
    return { send: sendRowOf(row, undefined), found: opening.found, diverged: false, moved: opening.moved, later }
  }
  // Another transaction has recorded the key meanwhile.
  if (!known && !(yield* findRow({ key: send.key }))) throw new Error(SAME_ID)
  return yield* openSendLater(tx, send)
}

function openingUnder(known: Row | undefined, send: NewSend): SendOpening {
  const isCancelledByPerson = known?.state === 'cancelled' && known.reason === null
  if (isCancelledByPerson && send.onlyIf) return { found: 'known', diverged: false, marks: false }
  const { customer, body, dueAt, moves } = send
  const asked = { customer, body, dueAt, moves, askedDigest: askedDigest(send) }
  return openingOf(
    asked,
    known && { ...known, askedDigest: known.asked ?? undefined, dueAt: known.due_at ?? undefined },
  )
}

function* recall(
  tx: Tx,
  known: Row,
  opening: Extract<SendOpening, { found: 'known' }>,
  again: NewSend,
): Steps<OpenedSend> {
  const { awaitedUntil, customer } = again
  const { diverged, marks } = opening
  const send = yield* shown(known)
  const isSame = customer === known.customer
  if (isSame) yield* continueParts(tx, known, again)
  const later = isSame ? yield* shownParts(known) : []
  for (const { id, state } of [send, ...later])
    if (awaitedUntil !== undefined && isGoingOut(state))
      yield* execute(sql`
        UPDATE ${sends} SET awaited_until = ${GREATEST}(coalesce(awaited_until, 0), ${awaitedUntil}) WHERE id = ${id}`)
  if (marks) yield* execute(sql`UPDATE ${sends} SET diverged = 1 WHERE id = ${known.id}`)
  const shownSend = { ...send, diverged: marks || send.diverged }
  return { send: shownSend, found: 'known', diverged, moved: opening.moved, later }
}

export function newRow(send: NewSend, at: SendStart): NewRow {
  const { id, key, number, customer, lane, cause, slot, via, body, fallback, createdAt } = send
  return {
    id,
    key,
    number,
    customer,
    lane,
    place: null,
    owner: null,
    run: 0,
    followed: 0,
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
    settled_at: at.state === 'skipped' || at.state === 'refused' ? createdAt : null,
    asked: askedDigest(send) ?? null,
    due_at: send.dueAt ?? null,
    expires_at: send.expiresAt ?? null,
    withheld: 0,
    reply: send.repliedAt === undefined ? 0 : 1,
    marketing: marketingOf(send),
    held_from: at.state === 'held' ? 'ready' : null,
    awaited_until: send.awaitedUntil ?? null,
    trace: send.trace ?? null,
    part_of: send.part?.of ?? null,
    part: send.part?.nth ?? null,
    options: send.options ? JSON.stringify(send.options) : null,
    used_by: null,
    writer: send.byPerson?.writer ?? null,
    seen: send.byPerson?.seen ?? null,
  }
}

function whoOf(send: NewSend) {
  return { number: send.number, customer: send.customer, marketing: marketingOf(send) }
}

function marketingOf({ marketing }: NewSend): number {
  if (!marketing) return 0
  return marketing.anyNumber ? 2 : 1
}

/** Digest of the app's request without `to`, because a customer's number may have several spellings. */
function askedDigest({ asked, body }: NewSend): string | undefined {
  if (asked === undefined || asked === body) return undefined
  const text = bodyTo(asked, '')
  return text === bodyTo(body, '') ? undefined : createHash('sha256').update(text).digest('base64url')
}

const { seq: _seq, ...GIVEN } = pick(sends, ...columnsOf(sends))

const INSERT = grouped(GIVEN, (given) =>
  insert(sends, { seq: NEXT_SEND, ...given }, { unlessThere: true, keys: ['id'] }),
)

/**
 * Inserts a send. `attempting`: the row to insert instead if the lane is free. Returns the stored row; undefined if the
 * key is known by now.
 */
export function* insertSend(row: NewRow, attempting?: NewRow): Steps<NewRow | undefined> {
  const first = attempting ?? (row.state === 'ready' ? { ...row, place: 0 } : row)
  if ((yield INSERT(first)).changes > 0) return first
  if (first.place !== null) {
    const behind = { ...row, place: 2 }
    yield* markFollowed('sends', row.lane)
    if ((yield INSERT(behind)).changes > 0) return behind
  }
  if ((yield KNOWN({ key: row.key })).rows.length > 0) return undefined
  throw new Error(SAME_ID)
}

const SAME_ID = 'a send has the same id, or its fallback has the key of another send'

/** Opens a send again. Returns undefined if its row has changed since it was read. */
function* reopen(known: Row, row: NewRow, attempting?: NewRow, moves = false): Steps<NewRow | undefined> {
  const busy = yield* exists(sql`SELECT 1 FROM ${sends} WHERE lane = ${row.lane} AND place < 2`)
  const next = attempting && !busy ? attempting : row
  const changed = yield* one(
    update(
      sends,
      { ...next, seq: moves ? NEXT_SEND : sends.seq },
      { id: known.id, state: known.state, run: known.run },
      ['seq'],
    ),
  )
  if (!changed) return undefined
  if (next.state !== 'ready') return next
  yield* enterLane('sends', changed.seq, row.lane, AT_ONCE)
  return { ...next, place: busy ? 2 : 0 }
}

function startingRow(send: NewSend, conditions: SendConditions, restored: boolean, known?: Row): NewRow {
  const { repliedAt, marketing, needsInboundSince, dueAt } = send
  const start = startOf({
    ...conditions,
    repliedAt,
    marketingAt: marketing?.at,
    needsInboundSince,
    dueAt,
    restored,
  })
  const row = addressed(newRow(send, start), conditions)
  if (!known) return row
  const { id, delivery, created_at, possibly_twice, diverged, message_id, upstream_id, run, followed, used_by } = known
  return { ...row, id, delivery, created_at, possibly_twice, diverged, message_id, upstream_id, run, followed, used_by }
}

function attemptingRow(
  row: NewRow,
  conditions: SendConditions,
  begin: BeginningSend,
  process: number,
): NewRow | undefined {
  if (row.state !== 'ready' || mayBegin(conditions.throttle, begin.now) !== 'yes') return undefined
  const { now, rules } = begin
  const due = dueSend(row, conditions)
  if (endBeforeAttempt(due, undefined, rules)) return undefined
  const via = viaOf(due, rules)
  const running = { place: 1, owner: process, run: row.run + 1 }
  return { ...row, ...running, state: 'attempting', via, attempts: 1, first_attempt_at: now, attempting_since: now }
}

function awaitedIfGoingOut(row: NewRow, { throttle }: SendConditions): NewRow {
  return isGoingOut(sendRowOf(row, throttle).state) ? row : { ...row, awaited_until: null }
}

function openedSend(
  row: NewRow,
  conditions: SendConditions,
  more: Pick<OpenedSend, 'found' | 'moved' | 'later'>,
): OpenedSend {
  const opened = { send: sendRowOf(row, conditions.throttle), ...more, diverged: false }
  if (row.place !== 1 || row.owner === null) return opened
  const fence = { lane: row.lane, of: row.id, owner: row.owner, run: row.run }
  return { ...opened, begun: { fence, work: { ...dueSend(row, conditions), attemptRecorded: true } } }
}

export function sharedBySend(send: NewSend, fence: Fence | undefined): Shared {
  const keys = [send, ...(send.later ?? [])].flatMap(({ key, fallback }) => (fallback ? [key, fallback.key] : [key]))
  return { ...concerning(send, fence?.lane), keys: keys.map((key) => `key:${key}`) }
}
