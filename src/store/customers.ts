import { atMostOne } from '../base/value.ts'
import * as openAnswers from '../built-in/open-answers.ts'
import { GREATEST, type Query, sql } from './statements/sql.ts'
import { SILENCE_COLUMNS, SILENCER, SILENT_UNTIL, silenceIn } from './silence.ts'
import { isInForce } from './rules/silence.ts'
import { grouped, insert, pick, select, update } from './statements/statements.ts'
import { blank, type RowOf } from './statements/tables.ts'
import { customers, timers } from './tables/customer-tables.ts'
import { inbox } from './tables/inbox-tables.ts'
import { one, execute, type Steps } from './statements/steps.ts'
import { type Counted, mergedSession, type Session, type SessionWrite } from './rules/items.ts'

/** A customer of a number. */
export interface CustomerOfNumber {
  readonly number: string
  readonly customer: string
}

/** Something of a built-in feature that gets a customer's messages before the routes do. Its id is in the customer's row. */
export interface Opened {
  readonly id: string
  /** Where it waits, and whether for a message. */
  readonly waits: { readonly for: 'answer' | 'time' } | undefined
}

export interface WindowMove extends CustomerOfNumber {
  readonly lastAt: number
  /** The spelling of the customer's number in this message, if the bot has a rule for spellings. */
  readonly wroteAs?: string | undefined
  /** Timers that are set if the window moves. They replace earlier ones. */
  readonly closing?: readonly WindowTimer[] | undefined
}

/** A timer that is due `before` ms before a window closes. It becomes an item of the kind `window_closing`. */
export interface WindowTimer {
  readonly before: number
  readonly dueAt: number
}

/**
 * True of a customer's row that has no information. A row that exists only to be locked is one. Pruning removes such
 * rows.
 */
export const KNOWS_NOTHING = sql`
  (last_at IS NULL AND ${SILENCER?.isBlank ?? sql`true`} AND session IS NULL AND conversation IS NULL)`

export function customerLane({ number, customer }: CustomerOfNumber): string {
  return `${number}/${customer}`
}

/** Returns the number and the customer of a lane. */
export function customerOfLane(lane: string): readonly [string, string] {
  const at = lane.indexOf('/')
  return [lane.slice(0, at), lane.slice(at + 1)]
}

/** The lane of events about what the number sent to a customer. */
export function sentLane(lane: string): string {
  return `${lane}/sent`
}

/** The lane of the statuses of a customer's messages. */
export function statusLane(lane: string): string {
  return `${lane}/status`
}

/** All lanes of a customer's items. */
export function itemLanes(who: CustomerOfNumber): readonly string[] {
  const lane = customerLane(who)
  return [lane, statusLane(lane), sentLane(lane)]
}

export const CUSTOMER_COLUMNS = [
  'last_at',
  'handled_at',
  'sent_at',
  'conversation',
  'counted_since',
  'counted',
  ...SILENCE_COLUMNS,
] as const

export type CustomerRow = Pick<RowOf<typeof customers>, (typeof CUSTOMER_COLUMNS)[number]>

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

/** Stores that an item of this lane was handled. Only messages count. */
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

/** Gives a row to the customer `to`. The row is deleted if `to` has such a row. */
export function* renameUnlessThere(rows: Query, from: Query, there: Query, to: string): Steps<void> {
  yield* execute(sql`DELETE FROM ${rows} WHERE ${from} AND EXISTS (SELECT 1 FROM ${rows} WHERE ${there})`)
  yield* execute(sql`UPDATE ${rows} SET customer = ${to} WHERE ${from}`)
}

// ── sessions ────────────────────────────────────────────────────────────────────────────────────────

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

/** Merges a session into a newer one. Returns false if both changed the same key. */
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
  /** The kind of the item that it becomes. */
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
