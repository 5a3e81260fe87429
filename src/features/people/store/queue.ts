import { forgottenUpto } from '../../../store/customers/forgotten.ts'
import { isSurelyNotSent } from '../../../store/outbox/send-rules.ts'
import {
  afterAsk,
  type Ask,
  afterEnding,
  afterFailure,
  type Ending,
  isWaiting,
  NOBODY_WAITS,
  type PersonState,
  type Wait,
} from './wait.ts'
import type { PersonsAnswer, WaitingReason } from '../../../store/database/store-effects.ts'
import { customersTable, type Query, GREATEST, inTexts, NOTHING, sql } from '../../../store/database/sql.ts'
import { all, allAs, allTogether, execute, exists, one, type Steps } from '../../../store/database/steps.ts'
import { itemPassesFence, type Fence } from '../../../store/work/lanes.ts'
import { inbox } from '../../../store/database/inbox-tables.ts'
import { customers, type CustomerOfNumber } from '../../../store/database/customer-tables.ts'
import { notes, people } from './people-tables.ts'
import { sends, type SendState } from '../../../store/database/outbox-tables.ts'
import { insert, put } from '../../../store/database/statements.ts'

interface WaitRow extends Wait, CustomerOfNumber {
  readonly changed: number
}

function findWait({ number, customer }: CustomerOfNumber): Steps<WaitRow | undefined> {
  return one<WaitRow>(sql`SELECT * FROM ${people} WHERE number = ${number} AND customer = ${customer}`)
}

/**
 * Writes the wait of a customer. `changed` is higher than in all committed rows, so a reader that looks for higher
 * values misses no change.
 */
function* putWait({ number, customer }: CustomerOfNumber, wait: Wait | undefined, now: number): Steps<boolean> {
  if (!wait) return false
  const { state, since, why, first, item, asked_at, upto, until, ended_by, assignee } = wait
  const changed = sql`${GREATEST}(${now}, 1 + coalesce((SELECT max(changed) FROM ${people}), 0))`
  const row = { number, customer, state, since, why, first, item, asked_at, upto, until, ended_by, assignee, changed }
  yield* execute(put(people, ['number', 'customer'], row))
  return true
}

// ── a wait begins and ends ──────────────────────────────────────────────────────────────────────────

export function* beginWait(who: CustomerOfNumber, ask: Ask, now: number): Steps<void> {
  yield* putWait(who, afterAsk(yield* findWait(who), ask), now)
}

/** Makes a customer wait for a person, while the bot continues. Returns false if the fence no longer holds. */
export function* askForPerson(
  who: CustomerOfNumber,
  { at, now }: { readonly at: number; readonly now: number },
  fence: Fence,
): Steps<boolean> {
  if (!(yield* itemPassesFence(fence))) return false
  const item = Number(fence.of)
  yield* beginWait(who, { why: 'asked', at, item }, now)
  return true
}

/** Makes the customer wait for an answer to an item, or its bundle, that arrived while a person had the customer. */
export function* waitsUnanswered(item: number, why: WaitingReason, now: number): Steps<void> {
  const ofBundle = sql`FROM ${inbox} m WHERE m.bundle = i.bundle`
  const message = yield* one<
    CustomerOfNumber & { readonly at: number; readonly first: number; readonly last: number }
  >(sql`
    SELECT number, customer, coalesce((SELECT min(m.at) ${ofBundle}), at) AS at,
      coalesce((SELECT min(m.id) ${ofBundle}), id) AS first, coalesce((SELECT max(m.id) ${ofBundle}), id) AS last
    FROM ${inbox} i WHERE id = ${item} AND customer IS NOT NULL`)
  if (!message) return
  const { at, first, last } = message
  yield* beginWait(message, { why, at, first, item: last }, now)
}

function* end(who: CustomerOfNumber, ending: Omit<Ending, 'nextAt'>, now: number): Steps<boolean> {
  const known = yield* findWait(who)
  if (!known) return false
  const after = afterEnding(known, { ...ending, nextAt: yield* restedAfter(who, ending.upto) })
  yield* putWait(who, after, now)
  return isWaiting(known) && !isWaiting(after)
}

/** Records that a person answered: the service accepted the message, or reports one that was not sent by this bot. */
export function* markAnswered(who: CustomerOfNumber, { upto, by }: PersonsAnswer, now: number): Steps<void> {
  yield* end(who, { as: 'answered', by, upto }, now)
}

function* restedAfter({ number, customer }: CustomerOfNumber, item: number): Steps<number | undefined> {
  const rested = yield* one<{ at: number }>(sql`
    SELECT at FROM ${inbox} WHERE mark = 'rested' AND id > ${item} AND kind = 'message' AND number = ${number}
      AND customer = ${customer} ORDER BY id LIMIT 1`)
  return rested?.at
}

/** Records that a person's message did not arrive: the customer waits, or waits again. */
export function* waitsAgain(who: CustomerOfNumber, now: number): Steps<void> {
  const known = yield* findWait(who)
  // The customer was forgotten while the message was under way.
  if (!known && (yield* forgottenUpto(who)).sends >= 0) return
  const last = known
    ? undefined
    : yield* one<{ at: number | null }>(sql`
    SELECT coalesce(last_at, taken_since) AS at FROM ${customers}
    WHERE number = ${who.number} AND customer = ${who.customer}`)
  yield* putWait(who, afterFailure(known, last?.at ?? now), now)
}

export function* forgetPerson({ number, customer }: CustomerOfNumber): Steps<void> {
  const theirs = sql`number = ${number} AND customer = ${customer}`
  yield* allTogether(sql`DELETE FROM ${people} WHERE ${theirs}`, sql`DELETE FROM ${notes} WHERE ${theirs}`)
}

/** Removes rows of customers whose wait ended long ago, and old notes. The row of a customer who waits always stays. */
export function* prunePeople(before: number, limit: number): Steps<boolean> {
  const rows = yield* execute(sql`
    DELETE FROM ${people} WHERE (number, customer) IN (
      SELECT number, customer FROM ${people} WHERE changed < ${before} AND state NOT IN ('waiting', 'snoozed')
      ORDER BY changed LIMIT ${limit})`)
  const removedNotes = yield* execute(sql`
    DELETE FROM ${notes} WHERE seq IN (SELECT seq FROM ${notes} WHERE at < ${before} ORDER BY seq LIMIT ${limit})`)
  return rows === limit || removedNotes === limit
}

// ── what people decide ──────────────────────────────────────────────────────────────────────────────

/** The newest message of the customer and the newest send of a person that a person saw. */
export interface SeenBy {
  readonly message: number
  readonly send: number
}

/** Returns false if the customer has written since `message`, or another person since `send`. */
export function* wroteNothingSince(
  { number, customer }: CustomerOfNumber,
  { message, send }: SeenBy,
  writer: string,
): Steps<boolean> {
  const newer = yield* exists(sql`
    SELECT 1 FROM ${inbox} WHERE kind = 'message' AND number = ${number} AND customer = ${customer} AND id > ${message}
      AND coalesce(mark, '') <> 'same_message' LIMIT 1`)
  if (newer) return false
  const written = yield* all<{ state: SendState }>(sql`
    SELECT state FROM ${sends} WHERE cause = 'app' AND seq > ${send} AND number = ${number} AND customer = ${customer}
      AND writer <> ${writer}`)
  return written.every(({ state }) => isSurelyNotSent(state))
}

/** `unseen`: nothing was done, because somebody has written since. `done`: false if the customer did not wait. */
export type Dismissed = { readonly unseen: true } | { readonly unseen: false; readonly done: boolean }

export function* dismissWait(
  who: CustomerOfNumber,
  o: { readonly by: string; readonly seen: SeenBy; readonly confirmed: boolean; readonly now: number },
): Steps<Dismissed> {
  if (!o.confirmed && !(yield* wroteNothingSince(who, o.seen, o.by))) return { unseen: true }
  return { unseen: false, done: yield* end(who, { as: 'dismissed', by: o.by, upto: o.seen.message }, o.now) }
}

/** Ends the wait of a customer who is given back to the bot. It counts as dismissed, because no person answers. */
export function* dismissGiven(
  who: CustomerOfNumber,
  { by, upto }: { readonly by: string; readonly upto: number },
  now: number,
): Steps<void> {
  yield* end(who, { as: 'dismissed', by, upto }, now)
}

/** Snoozes a wait until a service time. A new message ends the snooze. Returns false if the customer does not wait. */
export function* snoozeWait(who: CustomerOfNumber, until: number, now: number): Steps<boolean> {
  const known = yield* findWait(who)
  return known !== undefined && isWaiting(known) && (yield* putWait(who, { ...known, state: 'snoozed', until }, now))
}

export interface NewNote {
  readonly who: string
  readonly note: string
  readonly passedTo?: string | undefined
}

/** Assigns a chat to a person or to nobody, with a note. */
export function* assign(
  who: CustomerOfNumber,
  assignee: string | undefined,
  { note, now }: { readonly note?: NewNote | undefined; readonly now: number },
): Steps<void> {
  const known = yield* findWait(who)
  if (known || assignee !== undefined)
    yield* putWait(who, { ...(known ?? NOBODY_WAITS), assignee: assignee ?? null }, now)
  if (note) yield* addNote(who, note, now)
}

/** Adds a note, which only people read. Models and handlers do not get it. */
export function* addNote(who: CustomerOfNumber, { who: by, note, passedTo }: NewNote, now: number): Steps<void> {
  const { number, customer } = who
  yield* execute(insert(notes, { number, customer, at: now, who: by, note, passed_to: passedTo }))
  yield* putWait(who, (yield* findWait(who)) ?? NOBODY_WAITS, now)
}

// ── lists ───────────────────────────────────────────────────────────────────────────────────────────

export interface PersonRow extends CustomerOfNumber {
  readonly state: PersonState
  readonly since: number | undefined
  readonly why: WaitingReason | undefined
  readonly until: number | undefined
  readonly endedBy: string | undefined
  readonly assignee: string | undefined
  readonly changed: number | undefined
  readonly takenBy: 'person' | 'agent' | undefined
  readonly takenUntil: number | undefined
  /** How many messages of this wait no person has answered yet, up to 100. */
  readonly unread: number
}

export interface PeopleQuery {
  readonly list: 'waiting' | 'mine' | 'open' | 'recent'
  /** The person whose chats `mine` lists. */
  readonly who: string
  /** The numbers to list; undefined for all. */
  readonly numbers: readonly string[] | undefined
  /** Service time at which the list is read. */
  readonly at: number
  readonly limit: number
  readonly skip?: number
}

/** Lists the queue, the oldest wait first. `recent` lists the customers who wrote last, the newest message first. */
export function* listPeople(query: PeopleQuery): Steps<readonly PersonRow[]> {
  const { numbers, limit, skip = 0 } = query
  const own = (of: Query) => (numbers ? sql`AND ${of} ${inTexts(numbers)}` : NOTHING)
  const page = sql`LIMIT ${limit} OFFSET ${skip}`
  const found =
    query.list === 'recent'
      ? yield* all<CustomerOfNumber>(sql`
          SELECT number, customer FROM (
            SELECT number, customer, id FROM ${inbox}
            WHERE coalesce(kind, '') = 'message' AND customer IS NOT NULL AND id > (SELECT coalesce(max(id), 0) FROM ${inbox}) - ${LATEST}
          ) AS latest WHERE true ${own(sql`number`)} GROUP BY number, customer ORDER BY max(id) DESC ${page}`)
      : yield* all<CustomerOfNumber>(sql`
          SELECT p.number, p.customer FROM ${people} p LEFT JOIN ${customers} c ON c.number = p.number AND c.customer = p.customer
          WHERE ${inList(query)} ${own(sql`p.number`)}
          ORDER BY CASE WHEN ${WAITS(query.at)} THEN 0 ELSE 1 END, p.since, p.number, p.customer ${page}`)
  return yield* peopleRows(found)
}

const LATEST = 10_000

const WAITS = (at: number) => sql`(p.state = 'waiting' OR (p.state = 'snoozed' AND p.until <= ${at}))`

function inList({ list, who, at }: PeopleQuery): Query {
  switch (list) {
    case 'mine':
      return sql`p.assignee = ${who}`
    case 'open':
      return sql`(p.state IN ('waiting', 'snoozed') OR p.assignee IS NOT NULL
        OR (c.taken_by = 'person' AND c.taken_until > ${at}))`
    default:
      // The first condition lets the database use an index. `WAITS` decides whether the customer waits.
      return sql`p.state IN ('waiting', 'snoozed') AND ${WAITS(at)}`
  }
}

/** Counts waiting customers by number and by assignee. */
export function* waitingByPerson(at: number) {
  return yield* all<{ readonly number: string; readonly assignee: string | null; readonly n: number }>(sql`
    SELECT p.number, p.assignee, count(*) AS n FROM ${people} p
    WHERE p.state IN ('waiting', 'snoozed') AND ${WAITS(at)} GROUP BY p.number, p.assignee ORDER BY p.number`)
}

export function waitsForPerson(at: number): Query {
  return sql`SELECT p.number, p.since FROM ${people} p WHERE p.state IN ('waiting', 'snoozed') AND ${WAITS(at)}`
}

/** Lists these customers in the order given, including those who have no row in the queue. */
export function* peopleRows(who: readonly CustomerOfNumber[]): Steps<readonly PersonRow[]> {
  if (who.length === 0) return []
  const rows = yield* allAs<PersonRow & { readonly nth: number }>(sql`
    SELECT w.nth, w.number, w.customer, coalesce(p.state, 'open') AS state, p.since, p.why, p.until,
      p.ended_by AS "endedBy", p.assignee, p.changed, c.taken_by AS "takenBy", c.taken_until AS "takenUntil",
      CASE WHEN p.state IN ('waiting', 'snoozed') THEN (SELECT count(*) FROM (
        SELECT 1 FROM ${inbox} i WHERE i.kind = 'message' AND i.number = w.number AND i.customer = w.customer
          AND i.id > coalesce(p.upto, 0) AND coalesce(i.mark, '') <> 'same_message'
          AND (i.id >= p.first OR (p.first IS NULL AND i.at >= p.since)) LIMIT 100) AS one) ELSE 0 END AS unread
    FROM ${among(who)} AS w
      LEFT JOIN ${people} p ON p.number = w.number AND p.customer = w.customer
      LEFT JOIN ${customers} c ON c.number = w.number AND c.customer = w.customer
    ORDER BY w.nth`)
  return rows
}

/** A table of these customers, with their order as `nth`. */
export function among(who: readonly CustomerOfNumber[]): Query {
  return customersTable(who.map(({ number, customer }) => [number, customer] as const))
}
