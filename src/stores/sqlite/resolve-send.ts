import type { Resolution, Resolved } from '../port/index.ts'
import { AT_ONCE } from '../rules/lanes.ts'
import { resendOf, resolutionsOf, resolvedAs } from '../rules/send-settlement.ts'
import { inLane, type SendStart } from '../rules/sends.ts'
import type { Tx } from './group-commit.ts'
import { wakeLane } from './lanes.ts'
import { presentSend, type Row, rowById, sendOf } from './send-rows.ts'
import { throttleOf } from './throttles.ts'

/** Does what a person says of a send: see `Store.resolveSend`. */
export function resolveSend(tx: Tx, id: string, as: Resolution, now: number): Resolved | undefined {
  const row = rowById(tx.sql, id)
  if (!row) return undefined
  if (!resolutionsOf(sendOf(row)).includes(as)) return { done: false, was: row.state, send: sendOf(row) }
  if (as === 'resend') resend(tx, row, now)
  else settle(tx, id, as, now)
  return { done: true, was: row.state, send: presentSend(tx.sql, id) }
}

const SETTLE = `
  UPDATE sends SET state = ?, code = NULL, reason = ?, held_from = NULL, settled_at = ? WHERE id = ?`

function settle(tx: Tx, id: string, as: Exclude<Resolution, 'resend'>, now: number): void {
  const { state, reason } = resolvedAs(as)
  tx.sql(SETTLE).run(state, reason, now, id)
}

const RESEND = `
  UPDATE sends SET state = ?, code = ?, reason = ?, possibly_twice = ?, fallback_key = ?, fallback_body = ?,
    attempts = 0, first_attempt_at = NULL, attempting_since = NULL, next_at = ?, held_from = NULL, expires_at = NULL,
    unless_muted = 0, settled_at = NULL
  WHERE id = ?`

function resend(tx: Tx, row: Row, now: number): void {
  const { isScheduled, possiblyTwice, dropsFallback } = resendOf({
    ...sendOf(row),
    heldFrom: row.held_from ?? undefined,
  })
  const at: SendStart = isScheduled ? { state: 'scheduled' } : inLane(throttleOf(tx.sql, row.number))
  tx.sql(RESEND).run(
    at.state,
    at.code ?? null,
    at.reason ?? null,
    possiblyTwice ? 1 : 0,
    dropsFallback ? null : row.fallback_key,
    dropsFallback ? null : row.fallback_body,
    AT_ONCE,
    row.id,
  )
  if (!isScheduled) wakeLane(tx, row.lane, 'send', now)
}
