import { createHash } from 'node:crypto'
import { type Fence, isSurelyNotSent, type NewSend, type OpenedSend, type SendRow } from '../port/index.ts'
import type { Tx } from './group-commit.ts'
import { holdIfRestored } from './held-sends.ts'
import { AT_ONCE, holdsLane, wakeLane } from './lanes.ts'
import { queueOf } from './throttles.ts'
import { sendByKey, presentSend } from './send-rows.ts'
import { silenceOf } from './mutes.ts'

/** Records a send under its key: see `Store.openSend`. */
export function openSend(tx: Tx, send: NewSend, fence?: Fence): OpenedSend | undefined {
  if (fence && !holdsLane(tx, fence)) return undefined
  const known = sendByKey(tx.sql, send.key)
  if (!known) return insert(tx, send, fence)
  // A key is one message to one customer: whoever uses it for another gets nothing sent, and is told so.
  if (known.customer !== send.customer) return { send: known, found: 'known', diverged: true }
  if (isSurelyNotSent(known.state)) return reopen(tx, known, send, fence)
  return recall(tx, known, send)
}

const INSERT = `
  INSERT INTO sends
    (id, key, number, customer, lane, cause, slot, ref, state, via, body, fallback_key, fallback_body, next_at, created_at,
    due_at, expires_at, asked, unless_silent)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'ready', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

function insert(tx: Tx, send: NewSend, fence?: Fence): OpenedSend {
  tx.sql(INSERT).run(
    send.id,
    send.key,
    send.number,
    send.customer,
    send.lane,
    send.cause,
    send.slot,
    send.ref ?? null,
    send.via,
    send.body,
    send.fallback?.key ?? null,
    send.fallback?.body ?? null,
    AT_ONCE,
    send.createdAt,
    send.dueAt ?? null,
    send.expiresAt ?? null,
    askedOf(send),
    send.unlessMutedAt === undefined ? 0 : 1,
  )
  begin(tx, send.id, send, fence)
  return { send: presentSend(tx.sql, send.id), found: 'new', diverged: false }
}

const SILENT_FOR = {
  agent: 'the customer typed BOT, so the bot does not reply for 24 hours unless the app takes over',
  handed_over: 'the app left this customer to a person for a while',
} as const
const SKIP = "UPDATE sends SET state = 'skipped', code = ?, reason = ?, settled_at = ? WHERE id = ?"
const SCHEDULE = "UPDATE sends SET state = 'scheduled' WHERE id = ?"
const HOLD = "UPDATE sends SET state = 'held', code = ?, reason = ? WHERE id = ?"

/** Where a send that was recorded now stands: in its lane, unless something keeps it back. */
function begin(tx: Tx, id: string, send: NewSend, fence?: Fence): void {
  if (holdIfRestored(tx, { ...send, id }, fence)) return
  const { number, customer, unlessMutedAt, createdAt } = send
  const silence = unlessMutedAt === undefined ? undefined : silenceOf(tx.sql, number, customer, unlessMutedAt)
  if (silence) return void tx.sql(SKIP).run(silence.why, SILENT_FOR[silence.why], createdAt, id)
  if (send.dueAt !== undefined) return void tx.sql(SCHEDULE).run(id)
  joinLane(tx, { ...send, id }, createdAt)
}

/** It goes out in its turn; where its number's queue is stopped, with that. */
export function joinLane(tx: Tx, send: { id: string; number: string; lane: string }, now: number): void {
  const queue = queueOf(tx.sql, send.number)
  if (queue?.stopped) tx.sql(HOLD).run(queue.code ?? null, queue.reason, send.id)
  wakeLane(tx, send.lane, 'send', now)
}

const REOPEN = `
  UPDATE sends SET state = 'ready', via = ?, body = ?, fallback_key = ?, fallback_body = ?, ref = ?, attempts = 0,
    first_attempt_at = NULL, attempting_since = NULL, next_at = ?, code = NULL, reason = NULL, settled_at = NULL,
    due_at = ?, expires_at = ?, asked = ?, unless_silent = ?
  WHERE id = ?`

/** What is certain never to have been sent gives its place to a mended body, under the same key. */
function reopen(tx: Tx, known: SendRow, send: NewSend, fence?: Fence): OpenedSend {
  tx.sql(REOPEN).run(
    send.via,
    send.body,
    send.fallback?.key ?? null,
    send.fallback?.body ?? null,
    send.ref ?? null,
    AT_ONCE,
    send.dueAt ?? null,
    send.expiresAt ?? null,
    askedOf(send),
    send.unlessMutedAt === undefined ? 0 : 1,
    known.id,
  )
  begin(tx, known.id, send, fence)
  return { send: presentSend(tx.sql, known.id), found: 'reopened', diverged: false }
}

const MARK_DIVERGED = 'UPDATE sends SET diverged = 1 WHERE id = ?'

/** Bytes are fixed from the first attempt on: who asks for others gets the recorded send, and is told so. */
function recall(tx: Tx, known: SendRow, send: NewSend): OpenedSend {
  const diverged = known.asked === undefined ? known.body !== send.body : known.asked !== askedOf(send)
  if (diverged) tx.sql(MARK_DIVERGED).run(known.id)
  return { send: presentSend(tx.sql, known.id), found: 'known', diverged }
}

/** Null where the body itself says it. */
function askedOf({ asked, body }: NewSend): string | null {
  if (asked === undefined || asked === body) return null
  return createHash('sha256').update(asked).digest('base64url')
}
