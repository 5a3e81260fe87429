import type { Resolution, Resolved } from '../../port/index.ts'
import { AT_ONCE } from '../../rules/lanes.ts'
import { resendOf, resolutionsOf, resolvedAs } from '../../rules/send-settlement.ts'
import { wakeLane } from '../lanes/lanes.ts'
import { run, sql, type Steps, type Tx } from '../steps.ts'
import { findRow, presentSend, type Row, shown } from './sends.ts'

/** Does what a person says of a send: see `Store.resolveSend`. */
export function* resolveSend(tx: Tx, id: string, as: Resolution, now: number): Steps<Resolved | undefined> {
  const row = yield* findRow({ id })
  if (!row) return undefined
  const send = yield* shown(row)
  const was = send.state
  if (!resolutionsOf(send).includes(as)) return { done: false, was, send }
  if (as === 'resend') yield* resend(tx, row, now)
  else yield* settle(id, as, now)
  return { done: true, was, send: yield* presentSend(id) }
}

function* settle(id: string, as: Exclude<Resolution, 'resend'>, now: number): Steps<void> {
  const { state, reason } = resolvedAs(as)
  yield* run(sql`
    UPDATE sends SET state = ${state}, code = NULL, reason = ${reason}, held_from = NULL, settled_at = ${now}
    WHERE id = ${id}`)
}

function* resend(tx: Tx, row: Row, now: number): Steps<void> {
  const { isScheduled, possiblyTwice, dropsFallback } = resendOf({
    ...(yield* shown(row)),
    heldFrom: row.held_from ?? undefined,
  })
  yield* run(sql`
    UPDATE sends SET state = ${isScheduled ? 'scheduled' : 'ready'}, code = NULL, reason = NULL, possibly_twice = ${possiblyTwice},
      fallback_key = ${dropsFallback ? null : row.fallback_key},
      fallback_body = ${dropsFallback ? null : row.fallback_body},
      attempts = 0, first_attempt_at = NULL, attempting_since = NULL, next_at = ${AT_ONCE}, held_from = NULL,
      expires_at = NULL, unless_muted = 0, settled_at = NULL, awaited_until = NULL
    WHERE id = ${row.id}`)
  if (!isScheduled) yield* wakeLane(tx, row.lane, 'send', now)
}

/**
 * Takes a send back: see `Store.cancelSend`. One conditional statement, since a worker may begin the send at the same
 * moment. A send that a restored database holds may have gone out after the backup was taken, so it is taken back only
 * if no attempt had begun.
 */
export function* cancelSend(key: string, now: number): Steps<boolean> {
  const cancelled = yield* run(sql`
    UPDATE sends SET state = 'cancelled', settled_at = ${now}, held_from = NULL, code = NULL, reason = NULL
    WHERE key = ${key} AND state IN ('scheduled', 'ready', 'held') AND withheld = 0
      AND (held_from IS NULL OR first_attempt_at IS NULL)`)
  return cancelled > 0
}
