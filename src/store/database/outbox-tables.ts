import { sql } from './sql.ts'
import { integer, oneOf, optional, text, table } from './table.ts'

/**
 * The states of a send.
 *
 * `scheduled` → `ready` → `attempting` (its key and bytes are stored; a byte may have left) → `accepted` | `refused` |
 * `unknown` (repeats for ten minutes got no 200). Also waiting: `held` (the database was restored from a backup; or an
 * earlier part of the message is unknown; or the number is stopped, and then the row contains `ready` and is shown as
 * `held`). Also final: `skipped` (somebody else answers the customer, or the send was too late), `cancelled`, `dropped`
 * (a person ended it), `lost_code` (a one-time code in the memory of a process that has ended).
 *
 * If a process finds a row `attempting` whose attempt it did not begin, the outcome of that send is unknown. The send
 * is repeated with the same bytes and key. Only a 200 makes it `accepted`, and nothing makes it `refused` any more.
 * Without a 200 it ends as `unknown`.
 */
export const SEND_STATES = [
  'scheduled',
  'ready',
  'attempting',
  'held',
  'accepted',
  'refused',
  'unknown',
  'skipped',
  'cancelled',
  'dropped',
  'lost_code',
] as const

export type SendState = (typeof SEND_STATES)[number]

export type Via = 'freeform' | 'template'

/** Who wrote a message that a person wrote. */
export interface ByPerson {
  readonly writer: string
  /** The newest inbox row of the customer that the writer saw. */
  readonly seen: number
}

/** The members that a send has once it is recorded. */
export interface SendFields {
  readonly id: string
  readonly key: string
  readonly number: string
  readonly customer: string
  /** The lane. It begins with `NUMBER/CUSTOMER/`, because operations on the send lock its customer. */
  readonly lane: string
  readonly cause: string
  readonly slot: string
  readonly ref: string | undefined
  /** The id of the delivery whose handler sends it, for people who search for it. */
  readonly delivery?: string | undefined
  /** The span that recorded it, as W3C trace context. */
  readonly trace?: string | undefined
  /** The exact bytes that are sent. `via` states whether they are of a template. */
  readonly body: string
  readonly via: Via
  /** Set if a tap must name this send: the app's ids of the options, and whether only the first tap counts. */
  readonly options?: { readonly ids: readonly string[]; readonly once: boolean } | undefined
  readonly fallback: { readonly key: string; readonly body: string } | undefined
  /** Wall time. */
  readonly createdAt: number
  /** Time before which it does not go out. At that time it joins the end of its lane. */
  readonly dueAt?: number | undefined
  /** Time from which no first attempt begins. */
  readonly expiresAt?: number | undefined
  /**
   * Time until which a caller may wait for the outcome; `A_RERUN_ASKS` for a handler, whose rerun makes the same
   * request again. Undefined: no caller waits.
   */
  readonly awaitedUntil?: number | undefined
  /** For a part of a message: the key of the first part, and the position of this part, from 1. */
  readonly part?: { readonly of: string; readonly nth: number } | undefined
}

export interface SendRow extends SendFields {
  readonly byPerson?: ByPerson | undefined
  readonly state: SendState
  readonly attempts: number
  readonly firstAttemptAt: number | undefined
  /** Time of the earliest attempt whose outcome is unknown, or of the running attempt. */
  readonly attemptingSince: number | undefined
  readonly nextAt: number
  readonly messageId: string | undefined
  readonly upstreamId: string | undefined
  /** The code of the error that refused or held the send, or made it unknown; or why it was skipped. */
  readonly code: string | undefined
  readonly reason: string | undefined
  readonly possiblyTwice: boolean
  readonly diverged: boolean
  readonly settledAt: number | undefined
  readonly isMarketing: boolean
  /** True if the stored body is not the real one, which is only in the memory of its process. */
  readonly withheld: boolean
}

/**
 * Sends, with their exact bytes and outcome. seq is the order of recording. place, owner and run have the same meaning
 * as in work: a send that is to go out is in its lane, and each lane has one first row. followed: 1 if another send may
 * wait behind this one. settled_at is null while the send is open. next_at: wall time from which it may begin.
 * held_from: the state before a restore held it. asked: a digest of the app's request, if that is not the body. due_at
 * and expires_at are service time. reply: 1 for a reply, which is skipped in a silence. marketing: 0 no, 1 stopped by
 * an opt-out on its own number, 2 by one on any number. delivery: the id of the delivery whose handler sends it.
 * awaited_until: wall time until which a caller may wait for its outcome. withheld: the real body is only in the memory
 * of its process. part_of and part: for a message in parts, the key of the first part and the position from 1; else
 * null. options: JSON of the app's own ids of the options, in order, and whether only the first tap counts, if a tap
 * has to name this message. used_by: the cause of the item that was the first tap. writer, seen: for a message by a
 * person, who wrote it, and the newest inbox row of the customer that they saw.
 */
export const sends = table(
  'sends',
  { id: 'seq' },
  {
    seq: integer,
    id: text,
    key: text,
    number: text,
    customer: text,
    lane: text,
    place: optional(integer),
    owner: optional(integer),
    run: integer,
    followed: integer,
    cause: text,
    slot: text,
    ref: optional(text),
    delivery: optional(text),
    state: oneOf<SendState>(),
    via: oneOf<Via>(),
    body: text,
    fallback_key: optional(text),
    fallback_body: optional(text),
    attempts: integer,
    first_attempt_at: optional(integer),
    attempting_since: optional(integer),
    next_at: integer,
    message_id: optional(text),
    upstream_id: optional(text),
    code: optional(text),
    reason: optional(text),
    possibly_twice: integer,
    diverged: integer,
    held_from: optional(oneOf<SendState>()),
    asked: optional(text),
    due_at: optional(integer),
    expires_at: optional(integer),
    reply: integer,
    marketing: integer,
    withheld: integer,
    awaited_until: optional(integer),
    trace: optional(text),
    part_of: optional(text),
    part: optional(integer),
    options: optional(text),
    used_by: optional(text),
    writer: optional(text),
    seen: optional(integer),
    created_at: integer,
    settled_at: optional(integer),
  },
  {
    id: { on: ['id'], unique: true },
    key: { on: ['key'], unique: true },
    part: { on: ['part_of', 'part'], where: sql`part_of IS NOT NULL` },
    fallback: { on: ['fallback_key'], where: sql`fallback_key IS NOT NULL`, unique: true },
    cause: { on: ['cause', 'seq'] },
    lane: { on: ['lane'], where: sql`place < 2`, unique: true },
    first: { on: ['number', 'next_at', 'seq'], where: sql`place = 0` },
    behind: { on: ['lane', 'seq'], where: sql`place = 2` },
    message: { on: ['message_id'], where: sql`message_id IS NOT NULL` },
    upstream: { on: ['upstream_id'], where: sql`upstream_id IS NOT NULL` },
    scheduled: { on: ['due_at'], where: sql`state = 'scheduled'` },
    state: { on: ['state', 'seq'], where: sql`state <> 'ready' AND state <> 'attempting' AND state <> 'accepted'` },
    ref: { on: ['ref'], where: sql`ref IS NOT NULL` },
  },
)

/** Throttles of numbers. Nothing goes out before closed_until. Then one send goes out as a probe. */
export const throttles = table(
  'throttles',
  { columns: ['number'] },
  {
    number: text,
    stopped: integer,
    since: integer,
    closed_until: integer,
    in_a_row: integer,
    code: optional(text),
    reason: text,
  },
)

/**
 * Statuses, by each id that the service gave a message, and by the send's number, because a payload for one number may
 * contain the id of another number's message. stray: 1 if no send with this id is known yet, because a status may
 * arrive before the answer. The number of a stray can be several numbers, joined, one of which sent the message.
 */
export const statuses = table(
  'statuses',
  { columns: ['message', 'number', 'status', 'at'] },
  {
    message: text,
    status: text,
    at: integer,
    number: text,
    reason: optional(text),
    received_at: integer,
    stray: optional(integer),
  },
  {
    stray: { on: ['received_at'], where: sql`stray = 1` },
  },
)

/** The item that reports to handlers that a message of a number has reached a status: once for each status. */
export const reached = table(
  'reached',
  { columns: ['message', 'number', 'status'] },
  {
    message: text,
    number: text,
    status: text,
    item: integer,
  },
  {
    item: { on: ['item'] },
  },
)
