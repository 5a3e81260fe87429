import { sendsOf, BY_STATE } from '../../../store/outbox/rows.ts'
import { OF_CUSTOMER } from '../../../store/database/schema.ts'
import { forgottenUpto } from '../../../store/customers/forgotten.ts'
import { among } from './queue.ts'
import type { Query } from '../../../store/database/sql.ts'
import { DATABASE_VERSION, inNumbers, inTexts, numberValue, raw, sql, textValue } from '../../../store/database/sql.ts'
import { all, allAs, one, type Steps } from '../../../store/database/steps.ts'
import { contents, inbox } from '../../../store/database/inbox-tables.ts'
import { customers, type CustomerOfNumber } from '../../../store/database/customer-tables.ts'
import { notes, people } from './people-tables.ts'
import { sends, statuses, type SendRow } from '../../../store/database/outbox-tables.ts'

/** The oldest rows that a person has on the screen. The next page has older ones. */
export interface Before {
  readonly message: number
  readonly send: number
  readonly note: number
}

export interface ChatMessage {
  readonly id: number
  readonly at: number
  readonly receivedAt: number
  /** The facts of a message as JSON; undefined if they were pruned. */
  readonly facts: string | undefined
}

export interface Note {
  readonly seq: number
  readonly at: number
  readonly who: string
  readonly note: string
  readonly passedTo: string | undefined
}

const MESSAGES = sql`
  SELECT i.id, i.at, d.received_at AS "receivedAt", c.facts FROM ${inbox} i
    JOIN ${inbox} d ON d.id = coalesce(i.delivery, i.id) LEFT JOIN ${contents} c ON c.id = i.id`

/** Returns the newest messages, sends and notes of a customer, at most `limit` of each, newest first. */
export function* chatOf(who: CustomerOfNumber, o: { readonly limit: number; readonly before?: Before | undefined }) {
  const { number, customer } = who
  const forgotten = yield* forgottenUpto(who)
  const { limit, before = { message: NONE, send: NONE, note: NONE } } = o
  const { message, send, note } = before
  const to = sql`number = ${number} AND customer = ${customer}`
  const part = (rows: Query) => sql`SELECT seq FROM (SELECT seq FROM ${sends} WHERE ${rows} LIMIT ${limit}) AS part`
  const sent = yield* sendsOf(sql`
    seq IN (
      ${part(sql`state = 'accepted' AND withheld = 0 AND ${to} AND seq < ${send} ORDER BY settled_at DESC`)}
      UNION ALL ${part(sql`place < 2 AND ${to}`)} UNION ALL ${part(sql`place = 2 AND ${to} ORDER BY + seq DESC`)}
      UNION ALL ${part(sql`${BY_STATE} AND state IN ('refused', 'unknown', 'held', 'lost_code') AND ${to} ORDER BY + seq DESC`)})
    AND seq > ${forgotten.sends} AND seq < ${send} ORDER BY seq DESC LIMIT ${limit}`)
  const seqs = yield* all<{ id: string; seq: number }>(sql`
    SELECT id, seq FROM ${sends} WHERE id ${inTexts(sent.map(({ id }) => id))}`)
  const messages: ChatMessage[] = []
  for (const kind of OF_CUSTOMER)
    messages.push(
      ...(yield* allAs<ChatMessage>(sql`
        ${MESSAGES} WHERE i.${kind} AND i.number = ${number} AND i.customer = ${customer} AND i.id < ${message}
          AND d.id > ${forgotten.items} AND coalesce(i.mark, '') <> 'same_message' ORDER BY i.id DESC LIMIT ${limit}`)),
    )
  return {
    before,
    messages: messages.sort((a, b) => b.id - a.id).slice(0, limit),
    sends: sent,
    seqs: new Map(seqs.map(({ id, seq }) => [id, seq])),
    statuses: yield* all<{ message: string; status: string; reason: string | null }>(sql`
      SELECT message, status, reason FROM ${statuses}
      WHERE number = ${number} AND message ${inTexts(sent.flatMap(idsOf))} ORDER BY at`),
    notes: yield* allAs<Note>(sql`
      SELECT seq, at, who, note, passed_to AS "passedTo" FROM ${notes}
      WHERE ${to} AND seq < ${note} ORDER BY seq DESC LIMIT ${limit}`),
    newest: (yield* one<{ message: number; send: number }>(sql`
      SELECT coalesce((SELECT max(id) FROM ${inbox} WHERE kind = 'message' AND ${to}), 0) AS message,
        coalesce((SELECT max(seq) FROM ${sends}), 0) AS send`)) ?? { message: 0, send: 0 },
  }
}

const NONE = Number.MAX_SAFE_INTEGER

function idsOf({ messageId, upstreamId }: SendRow): readonly string[] {
  return [messageId, upstreamId].filter((id) => id !== undefined)
}

/** Returns each customer's last message and last accepted send, in the order given. */
export function* latestLines(who: readonly CustomerOfNumber[]) {
  const found = yield* all<CustomerOfNumber & { readonly message: number | null; readonly send: number | null }>(sql`
    SELECT w.number, w.customer, (
        SELECT max(i.id) FROM ${inbox} i WHERE i.kind = 'message' AND i.number = w.number AND i.customer = w.customer) AS message, (
        SELECT s.seq FROM ${sends} s WHERE s.state = 'accepted' AND s.withheld = 0 AND s.number = w.number
          AND s.customer = w.customer ORDER BY s.settled_at DESC LIMIT 1) AS send
    FROM ${among(who)} AS w ORDER BY w.nth`)
  const ids = found.flatMap(({ message }) => message ?? [])
  const seqs = found.flatMap(({ send }) => send ?? [])
  const messages = yield* allAs<ChatMessage>(sql`${MESSAGES} WHERE i.id ${inNumbers(ids)}`)
  const sent = yield* sendsOf(sql`seq ${inNumbers(seqs)}`)
  const messageOf = new Map(messages.map((message) => [message.id, message]))
  const sendOf = new Map(sent.map((send) => [`${send.number}/${send.customer}`, send]))
  return found.map(({ number, customer, message }) => ({
    number,
    customer,
    message: message === null ? undefined : messageOf.get(message),
    send: sendOf.get(`${number}/${customer}`),
  }))
}

/** Searches the facts of the newest messages for these words. Facts are JSON, so the words are encoded as JSON. */
export function customersWhoSaid(words: string, limit: number): Steps<readonly (CustomerOfNumber & ChatMessage)[]> {
  const pattern = `%${JSON.stringify(words.toLowerCase())
    .slice(1, -1)
    .replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return allAs(sql`
    SELECT i.number, i.customer, i.id, i.at, i.received_at AS "receivedAt", c.facts FROM ${inbox} i JOIN ${contents} c ON c.id = i.id
    WHERE i.kind = 'message' AND i.customer IS NOT NULL AND i.id > (SELECT coalesce(max(id), 0) FROM ${inbox}) - ${SEARCHED}
      AND lower(c.facts) LIKE ${pattern} ESCAPE '\\' ORDER BY i.id DESC LIMIT ${limit}`)
}

const SEARCHED = 10_000

/** How far a process with open desks has read. */
export interface Watched {
  /** The version of the database: it differs if any process has committed since. Empty if there is more to read. */
  readonly version: string
  /** The version of the database at the last query. */
  readonly seen: string
  readonly item: number
  readonly send: number
  readonly people: number
}

/** `coalesce` keeps the database from using the indexes of `kind`: the few new rows are found faster by their ids. */
const IS_MESSAGE = sql`coalesce(kind, '') = 'message' AND customer IS NOT NULL`

/** The most changed rows of one query. The next query has the rest. */
const MOST_CHANGED = 400

/** Assumption: while one transaction is open, others take fewer ids. A late row is searched among so many ids. */
const MOST_LATE = 20_000

/**
 * Selects rows of transactions that were open at the last query: these rows became visible late, with lower ids.
 * Returns undefined if none was open. The version `seen` is a snapshot of PostgreSQL, which lists open transactions.
 */
function comesLate(seen: string): Query | undefined {
  const [, end = '', underWay = ''] = seen.split(':')
  if (underWay === '') return undefined
  const short = (id: string) => String(Number(id) % 2 ** 32)
  const began = sql`xmin::text ${inTexts(underWay.split(',').map(short))}`
  return sql`(${began} OR age(xmin) <= age(${textValue(short(end))}::xid))`
}

/** Selects all rows that became visible since the last query. `lowest`: rows with lower ids are not searched. */
function above(column: 'id' | 'seq' | 'changed', since: { seen: string; last: number; lowest: Query }): Query {
  const late = comesLate(since.seen)
  const isAbove = sql`${raw(column)} > ${since.last}`
  return late ? sql`${raw(column)} > ${since.lowest} AND (${isAbove} OR ${late})` : isAbove
}

const LOWEST_CHANGED = sql`
  coalesce((SELECT changed FROM ${people} ORDER BY changed DESC LIMIT 1 OFFSET ${MOST_LATE}), 0)`

/**
 * Reads what has changed for all desks of a process together. Returns undefined if nothing was committed. `touched`:
 * customers with a new message, send or state. `digests`: one for each open chat, which differs if the chat has
 * changed.
 */
export function* deskChanges(since: Watched | undefined, open: readonly CustomerOfNumber[]) {
  const now = yield* one<Omit<Watched, 'seen'>>(sql`
    SELECT ${DATABASE_VERSION} AS version, coalesce((SELECT max(id) FROM ${inbox}), 0) AS item,
      coalesce((SELECT max(seq) FROM ${sends}), 0) AS send, coalesce((SELECT max(changed) FROM ${people}), 0) AS people`)
  if (!now || now.version === since?.version) return undefined
  const { seen } = since ?? { seen: now.version }
  if (!since) return { watched: { ...now, seen }, touched: [], digests: yield* digestsOf(open) }
  const changed = yield* all<CustomerOfNumber & { readonly changed: number }>(sql`
    SELECT number, customer, changed FROM ${people} 
    WHERE ${above('changed', { seen, last: since.people, lowest: LOWEST_CHANGED })} ORDER BY changed LIMIT ${MOST_CHANGED}`)
  const wrote = yield* all<CustomerOfNumber & { readonly id: number }>(sql`
    SELECT id, number, customer FROM ${inbox}
    WHERE ${above('id', { seen, last: since.item, lowest: numberValue(since.item - MOST_LATE) })}
      AND ${IS_MESSAGE} ORDER BY id LIMIT ${MOST_CHANGED}`)
  const sent = yield* all<CustomerOfNumber & { readonly seq: number }>(sql`
    SELECT seq, number, customer FROM ${sends} 
    WHERE ${above('seq', { seen, last: since.send, lowest: numberValue(since.send - MOST_LATE) })} ORDER BY seq LIMIT ${MOST_CHANGED}`)
  const touched = new Map(
    [...changed, ...wrote, ...sent].map(({ number, customer }) => [`${number}/${customer}`, { number, customer }]),
  )
  // If there are rows beyond the limit, the next query reads them: an empty `version` counts as changed.
  const isWhole = [changed, wrote, sent].every(({ length }) => length < MOST_CHANGED)
  const upto = <Row>(rows: readonly Row[], of: (row: Row) => number, all: number) =>
    rows.length < MOST_CHANGED ? all : of(rows.at(-1) as Row)
  const watched: Watched = {
    version: isWhole ? now.version : '',
    seen: now.version,
    item: upto(wrote, ({ id }) => id, now.item),
    send: upto(sent, ({ seq }) => seq, now.send),
    // The row behind the limit may have the same `changed` as the last one, so read that value again.
    people: upto(changed, (row) => row.changed - 1, now.people),
  }
  return { watched, touched: [...touched.values()], digests: yield* digestsOf(open) }
}

function* digestsOf(open: readonly CustomerOfNumber[]): Steps<readonly (CustomerOfNumber & { digest: string })[]> {
  if (open.length === 0) return []
  const rows = yield* all<CustomerOfNumber & Record<string, unknown>>(sql`
    SELECT w.number, w.customer,
      (SELECT max(i.id) FROM ${inbox} i WHERE i.kind = 'message' AND i.number = w.number AND i.customer = w.customer) AS message,
      (SELECT max(s.settled_at) FROM ${sends} s WHERE s.state = 'accepted' AND s.withheld = 0 AND s.number = w.number
        AND s.customer = w.customer) AS settled,
      (SELECT max(s.seq) FROM ${sends} s WHERE s.place < 2 AND s.lane = w.number || '/' || w.customer || '/out') AS sending,
      (SELECT count(*) FROM ${statuses} st WHERE st.message IN (
        SELECT s.message_id FROM ${sends} s WHERE s.state = 'accepted' AND s.withheld = 0 AND s.number = w.number
          AND s.customer = w.customer ORDER BY s.settled_at DESC LIMIT 20)) AS statuses,
      (SELECT p.changed FROM ${people} p WHERE p.number = w.number AND p.customer = w.customer) AS changed,
      (SELECT c.taken_until FROM ${customers} c WHERE c.number = w.number AND c.customer = w.customer) AS taken
    FROM ${among(open)} AS w`)
  return rows.map(({ number, customer, ...rest }) => ({
    number,
    customer,
    digest: JSON.stringify(Object.values(rest)),
  }))
}
