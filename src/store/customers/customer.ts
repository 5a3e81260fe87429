import { atMostOne } from '../../base/value.ts'
import * as openAnswers from '../../built-in/open-answers.ts'
import { GREATEST, type Query, sql } from '../database/sql.ts'
import { isInForce } from '../database/silence.ts'
import { grouped, insert, pick, select, update } from '../database/statements.ts'
import { blank, type RowOf } from '../database/table.ts'
import {
  CUSTOMER_COLUMNS,
  customers,
  timers,
  type CustomerOfNumber,
  type CustomerRow,
  SILENCER,
  SILENT_UNTIL,
  silenceIn,
} from '../database/customer-tables.ts'
import { customerOfLane } from '../database/lane-names.ts'
import { inbox } from '../database/inbox-tables.ts'
import { one, execute, type Steps } from '../database/steps.ts'

/** Something that a feature opened for a customer, such as a conversation. It gets messages before the routes do. */
export interface Opened {
  readonly id: string
  /** Whether it waits for an answer of the customer, or for a time; undefined if it does not wait. */
  readonly waits: { readonly for: 'answer' | 'time' } | undefined
}

export interface WindowMove extends CustomerOfNumber {
  readonly lastAt: number
  /** The spelling of the customer's number in this message, if the bot has a rule for spellings. */
  readonly wroteAs?: string | undefined
  /** Timers that are set if the window moves. They replace earlier ones. */
  readonly closing?: readonly WindowTimer[] | undefined
}

/** A STOP or START in a customer's message. It takes effect in the commit that stores the message. */
export interface SaidOptOut {
  /** Service time of the message. */
  readonly at: number
  /** In which way the customer said it: `message` or `tap`. */
  readonly how: string
  readonly says: 'out' | 'in'
  readonly anyNumber: boolean
  /** True if the message may answer an open question. If one is open, the commit leaves the decision to the attempt. */
  readonly unlessAsked: boolean
}

/** How many messages a customer may send within `everyMs` of the first of them. `at`: when the current one arrived. */
export interface MessageLimit {
  readonly messages: number
  readonly everyMs: number
  readonly at: number
}

export interface Counted {
  readonly since: number
  readonly count: number
}

export function countedWith(
  before: Counted | undefined,
  { everyMs, at }: Pick<MessageLimit, 'everyMs' | 'at'>,
): Counted {
  // If the clock went back, the count starts again.
  const goesOn = before !== undefined && at >= before.since && at < before.since + everyMs
  return goesOn ? { since: before.since, count: before.count + 1 } : { since: at, count: 1 }
}

/** A timer that is due `before` ms before a window closes. It becomes an item of the kind `window_closing`. */
export interface WindowTimer {
  readonly before: number
  readonly dueAt: number
}

/** True of a row without information, such as one that exists only to be locked. Pruning removes such rows. */
export const KNOWS_NOTHING = sql`
  (last_at IS NULL AND ${SILENCER?.isBlank ?? sql`true`} AND session IS NULL AND conversation IS NULL)`

const WHO = pick(customers, 'number', 'customer')

const FIND = grouped(WHO, (who) => select(CUSTOMER_COLUMNS, customers, who))

const MOVE = grouped(
  pick(customers, 'number', 'customer', 'last_at', 'moved_at', 'handled_at', 'counted_since', 'counted'),
  ({ number, customer, ...set }) => update(customers, set, { number, customer }),
)

const ADD = grouped(pick(customers, 'number', 'customer', 'last_at', 'moved_at', 'counted_since', 'counted'), (given) =>
  insert(customers, { ...blank(customers), ...given }, { keys: ['number', 'customer'] }),
)

export function* findCustomer({ number, customer }: CustomerOfNumber): Steps<CustomerRow | undefined> {
  return yield* one(FIND({ number, customer }))
}

/** Moves the window forward, never back. `laneWasFree`: no message of the customer was waiting or running. */
export function* applyWindowMove(
  who: CustomerOfNumber & Pick<WindowMove, 'wroteAs'>,
  lastAt: number,
  now: number,
  laneWasFree: boolean,
  counted?: Counted,
  taken?: CustomerRow,
): Steps<CustomerRow> {
  const { number, customer } = who
  const known = taken ?? (yield* findCustomer(who))
  const { since, count } = counted ?? countedIn(known) ?? {}
  if (!known) {
    yield ADD({ number, customer, last_at: lastAt, moved_at: now, counted_since: since, counted: count })
    yield* noteSpelling(who)
    return { ...UNKNOWN, last_at: lastAt }
  }
  // If the lane was free, all earlier messages of the customer are handled.
  const handled = laneWasFree ? (known.last_at ?? known.handled_at) : known.handled_at
  const last = Math.max(known.last_at ?? lastAt, lastAt)
  yield MOVE({
    number,
    customer,
    last_at: last,
    moved_at: now,
    handled_at: handled,
    counted_since: since,
    counted: count,
  })
  if (last === lastAt) yield* noteSpelling(who)
  return { ...known, last_at: last, handled_at: handled }
}

export function countedIn(row: CustomerRow | undefined): Counted | undefined {
  const { counted_since: since = null, counted: count = null } = row ?? {}
  return since === null || count === null ? undefined : { since, count }
}

/** Stores the count of messages for a message that does not move the window. */
export function* writeCounted({ number, customer }: CustomerOfNumber, { since, count }: Counted): Steps<void> {
  yield* execute(sql`
    INSERT INTO ${customers} (number, customer, counted_since, counted) VALUES (${number}, ${customer}, ${since}, ${count})
    ON CONFLICT (number, customer) DO UPDATE SET counted_since = excluded.counted_since, counted = excluded.counted`)
}

function* noteSpelling({ number, customer, wroteAs }: CustomerOfNumber & Pick<WindowMove, 'wroteAs'>): Steps<void> {
  if (wroteAs !== undefined)
    yield* execute(
      sql`UPDATE ${customers} SET wrote_as = ${wroteAs} WHERE number = ${number} AND customer = ${customer}`,
    )
}

const UNKNOWN: CustomerRow = blank(customers)

const HANDLED = grouped({ ...WHO, item: inbox.id }, ({ number, customer, item }) =>
  update(
    customers,
    {
      handled_at: sql`nullif(${GREATEST}(coalesce(handled_at, 0),
        coalesce((SELECT at FROM ${inbox} WHERE id = ${item} AND kind = 'message'), 0)), 0)`,
    },
    sql`number = ${number} AND customer = ${customer} AND NOT ${KNOWS_NOTHING}`,
  ),
)

/** Stores the time of a handled item. An item that is not a message changes nothing. */
export function* markHandled(lane: string, item: number): Steps<void> {
  const [number, customer] = customerOfLane(lane)
  yield HANDLED({ item, number, customer })
}

const SENT = grouped({ ...WHO, at: customers.sent_at }, ({ number, customer, at }) =>
  update(
    customers,
    { sent_at: sql`${GREATEST}(coalesce(sent_at, 0), ${at})` },
    sql`number = ${number} AND customer = ${customer} AND last_at IS NOT NULL`,
  ),
)

export function* markSent({ number, customer }: CustomerOfNumber, at: number): Steps<void> {
  yield SENT({ at, number, customer })
}

/** Gives the rows of `from` to the customer `to`. If a row matches `there`, `to` has its own, and they are deleted. */
export function* renameUnlessThere(rows: Query, from: Query, there: Query, to: string): Steps<void> {
  yield* execute(sql`DELETE FROM ${rows} WHERE ${from} AND EXISTS (SELECT 1 FROM ${rows} WHERE ${there})`)
  yield* execute(sql`UPDATE ${rows} SET customer = ${to} WHERE ${from}`)
}

// ── sessions ────────────────────────────────────────────────────────────────────────────────────────

export interface Session {
  readonly value: string
  readonly version: number
}

export interface SessionWrite {
  /** The session as it was read at `readAt`; undefined if there was none. */
  readonly before: string | undefined
  readonly readAt: number
  /** The session that the app got, if that is not `before`: with defaults of the schema added, or migrated. */
  readonly base?: string | undefined
  readonly value: string | undefined
  readonly version: number
  /** Undefined: the session never expires. */
  readonly expiresAt: number | undefined
}

/**
 * Applies the change to the session that is stored now. Returns undefined if both changed the same top-level key, one
 * of the sessions is not an object, or the versions differ.
 */
function mergedSession(write: SessionWrite, newer: Session | undefined): SessionWrite | undefined {
  const newest = { ...write, before: newer?.value }
  if (newer?.value === write.value || newer?.value === write.before) return newest
  if (newer === undefined || newer.version !== write.version) return undefined
  const [before, mine, theirs] = [write.base ?? write.before ?? '{}', write.value ?? 'null', newer.value].map(objectIn)
  if (!before || !mine || !theirs) return undefined
  const keys = new Set([...Object.keys(before), ...Object.keys(mine)])
  const changed = [...keys].filter((key) => jsonOf(mine, key) !== jsonOf(before, key))
  if (changed.some((key) => jsonOf(theirs, key) !== jsonOf(before, key))) return undefined
  const merged = { ...theirs }
  for (const key of changed)
    if (Object.hasOwn(mine, key)) merged[key] = mine[key]
    else delete merged[key]
  return { ...newest, value: JSON.stringify(merged) }
}

function objectIn(json: string): Record<string, unknown> | undefined {
  const value: unknown = JSON.parse(json)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

function jsonOf(object: Record<string, unknown>, key: string): string | undefined {
  return Object.hasOwn(object, key) ? JSON.stringify(object[key]) : undefined
}

export function wholeRow({ number, customer }: CustomerOfNumber): Steps<RowOf<typeof customers> | undefined> {
  return one(select('*', customers, { number, customer }))
}

export function* customerOf(number: string, customer: string, at: number) {
  const row = yield* wholeRow({ number, customer })
  const silence = silenceIn(row)
  const { session: value, session_version: version, session_expires_at: end } = row ?? {}
  return {
    session: typeof value === 'string' && (end ?? Infinity) > at ? { value, version: version ?? 0 } : undefined,
    silence: isInForce(silence, at) ? silence : undefined,
    lastSentAt: row?.sent_at ?? undefined,
    lastInboundAt: row?.last_at ?? undefined,
    wroteAs: row?.wrote_as ?? undefined,
  }
}

/** Writes a session. If the stored one is newer, merges both; returns false if both changed the same key. */
export function* writeSession(who: CustomerOfNumber, write: SessionWrite): Steps<boolean> {
  if (yield* putSession(who, write)) return true
  const mine = mergedSession(write, (yield* customerOf(who.number, who.customer, write.readAt)).session)
  return mine !== undefined && (yield* putSession(who, mine))
}

/** Writes a session. Returns false, and changes nothing, if the session is no longer the one that was read. */
export function* putSession(
  { number, customer }: CustomerOfNumber,
  { before, readAt, value, version, expiresAt }: SessionWrite,
): Steps<boolean> {
  const known: Session | undefined = (yield* customerOf(number, customer, readAt)).session
  if (known?.value !== before) return false
  if (before !== undefined || value !== undefined)
    yield* execute(sql`
      INSERT INTO ${customers} (number, customer, session, session_version, session_expires_at)
      VALUES (${number}, ${customer}, ${value}, ${value === undefined ? undefined : version}, ${expiresAt})
      ON CONFLICT (number, customer) DO UPDATE SET session = excluded.session,
        session_version = excluded.session_version, session_expires_at = excluded.session_expires_at`)
  return true
}

// ── timers of the window ────────────────────────────────────────────────────────────────────────────

/** Sets the timers of a window. Call it before the window moves: a message that does not move the window sets none. */
export function* setWindowTimers({ number, customer, lastAt, closing = [] }: WindowMove, item: number): Steps<void> {
  if (closing.length === 0) return
  const last = (yield* findCustomer({ number, customer }))?.last_at
  if (typeof last === 'number' && last >= lastAt) return
  for (const { before, dueAt } of closing) {
    const timer = { number, customer, kind: 'window_closing', name: String(before) } as const
    yield* setTimer(timer, { item, says: { before, lastAt, dueAt } })
  }
}

export interface Timer extends CustomerOfNumber {
  /** The kind of the item that the timer becomes when it is due. */
  readonly kind: string
  readonly name: string
}

export interface TimerSays {
  readonly dueAt: number
  readonly [more: string]: unknown
}

export function* setTimer(
  { number, customer, kind, name }: Timer,
  { item, says }: { readonly item: number; readonly says: TimerSays },
): Steps<void> {
  yield* execute(sql`
    INSERT INTO ${timers} (number, customer, kind, name, due_at, item, says)
    VALUES (${number}, ${customer}, ${kind}, ${name}, ${GREATEST}(${says.dueAt}, coalesce((
      SELECT ${SILENT_UNTIL} FROM ${customers} WHERE number = ${number} AND customer = ${customer}), 0)),
      ${item}, ${JSON.stringify(says)})
    ON CONFLICT (number, customer, kind, name)
    DO UPDATE SET due_at = excluded.due_at, item = excluded.item, says = excluded.says`)
}

export function* removeTimer({ number, customer, kind, name }: Timer): Steps<void> {
  yield* execute(sql`
    DELETE FROM ${timers} WHERE number = ${number} AND customer = ${customer} AND kind = ${kind} AND name = ${name}`)
}

// ── opened by a feature ────────────────────────────────────────────────────────────────────────────────────

/** Returns what a feature has opened for a customer, by the id in the customer's row. */
export const findOpened = atMostOne<(id: string) => Steps<Opened | undefined>>(openAnswers) ?? nothingOpen

function* nothingOpen(): Steps<undefined> {}
