import { createHash } from 'node:crypto'
import type { NewSend } from '../../port/index.ts'
import { AT_ONCE } from '../../rules/lanes.ts'
import { hasEnded, type SendStart } from '../../rules/sends.ts'
import { run, sql, type Steps } from '../steps.ts'
import type { NewRow, Row } from './sends.ts'

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
export function askedDigest({ asked, body }: NewSend): string | undefined {
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
export function reopenedRow(known: Row, send: NewSend, at: SendStart): NewRow {
  const { id, created_at, possibly_twice, diverged, message_id, upstream_id } = known
  return { ...newRow(send, at), id, created_at, possibly_twice, diverged, message_id, upstream_id }
}

export function* reopenSend(row: NewRow): Steps<void> {
  yield* run(sql`
    UPDATE sends SET ref = ${row.ref}, state = ${row.state}, via = ${row.via}, body = ${row.body},
      fallback_key = ${row.fallback_key}, fallback_body = ${row.fallback_body}, next_at = ${row.next_at},
      code = ${row.code}, reason = ${row.reason}, settled_at = ${row.settled_at}, asked = ${row.asked},
      due_at = ${row.due_at}, expires_at = ${row.expires_at}, unless_muted = ${row.unless_muted},
      held_from = ${row.held_from}, attempts = ${row.attempts}, first_attempt_at = ${row.first_attempt_at},
      attempting_since = ${row.attempting_since}, awaited_until = ${row.awaited_until}, trace = ${row.trace}
    WHERE id = ${row.id}`)
}
