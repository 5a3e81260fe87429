import { createHash } from 'node:crypto'
import type { Fence, NewSend, OpenedSend } from '../port/index.ts'
import { joinsLane, openingOf, type SendStart, startOf } from '../rules/sends.ts'
import type { Tx } from './group-commit.ts'
import { AT_ONCE } from '../rules/lanes.ts'
import { cameBack } from './held-sends.ts'
import { holdsLane, wakeLane } from './lanes.ts'
import { lastMute } from './mutes.ts'
import { presentSend, type Row, rowByKey, sendOf } from './send-rows.ts'
import { throttleOf } from './throttles.ts'

const MARK_DIVERGED = 'UPDATE sends SET diverged = 1 WHERE id = ?'

/** Records a send under its key: see `Store.openSend`. */
export function openSend(tx: Tx, send: NewSend, fence?: Fence): OpenedSend | undefined {
  if (fence && !holdsLane(tx, fence)) return undefined
  const row = rowByKey(tx.sql, send.key)
  const asked = { customer: send.customer, body: send.body, askedDigest: askedDigest(send) }
  const opening = openingOf(asked, row && { ...sendOf(row), askedDigest: row.asked ?? undefined })
  switch (opening.found) {
    case 'new':
      return start(tx, { found: 'new', id: send.id, send, fence }, insert)
    case 'reopened':
      return start(tx, { found: 'reopened', id: (row as Row).id, send, fence }, reopen)
    case 'known': {
      const { id } = row as Row
      if (opening.marks) tx.sql(MARK_DIVERGED).run(id)
      return { send: presentSend(tx.sql, id), found: 'known', diverged: opening.diverged }
    }
  }
}

/** Undefined if the body itself is what the app asked for. */
function askedDigest({ asked, body }: NewSend): string | undefined {
  if (asked === undefined || asked === body) return undefined
  return createHash('sha256').update(asked).digest('base64url')
}

interface Starting {
  readonly found: 'new' | 'reopened'
  readonly id: string
  readonly send: NewSend
  readonly fence: Fence | undefined
}

function start(
  tx: Tx,
  { found, id, send, fence }: Starting,
  write: (tx: Tx, id: string, send: NewSend, at: SendStart) => void,
): OpenedSend {
  const { number, customer, cause, lane, unlessMutedAt, dueAt, createdAt } = send
  const at = startOf({
    cameBack: fence !== undefined && cameBack(tx, { number, cause }, fence),
    mute: unlessMutedAt === undefined ? undefined : lastMute(tx.sql, number, customer),
    unlessMutedAt,
    dueAt,
    throttle: throttleOf(tx.sql, number),
  })
  write(tx, id, send, at)
  if (joinsLane(at)) wakeLane(tx, lane, 'send', createdAt)
  return { send: presentSend(tx.sql, id), found, diverged: false }
}

const INSERT = `
  INSERT INTO sends
    (state, code, reason, held_from, settled_at, via, body, fallback_key, fallback_body, ref, next_at, due_at, expires_at,
    asked, unless_silent, id, key, number, customer, lane, cause, slot, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

function insert(tx: Tx, id: string, send: NewSend, at: SendStart): void {
  const { key, number, customer, lane, cause, slot, createdAt } = send
  tx.sql(INSERT).run(...startingValues(send, at), id, key, number, customer, lane, cause, slot, createdAt)
}

const REOPEN = `
  UPDATE sends SET state = ?, code = ?, reason = ?, held_from = ?, settled_at = ?, via = ?, body = ?, fallback_key = ?,
    fallback_body = ?, ref = ?, next_at = ?, due_at = ?, expires_at = ?, asked = ?, unless_silent = ?,
    attempts = 0, first_attempt_at = NULL, attempting_since = NULL
  WHERE id = ?`

function reopen(tx: Tx, id: string, send: NewSend, at: SendStart): void {
  tx.sql(REOPEN).run(...startingValues(send, at), id)
}

/** Columns that a send has anew each time it is opened, in the order of both statements. */
function startingValues(send: NewSend, at: SendStart): (string | number | null)[] {
  return [
    at.state,
    at.code ?? null,
    at.reason ?? null,
    at.restored ? 'ready' : null,
    at.state === 'skipped' ? send.createdAt : null,
    send.via,
    send.body,
    send.fallback?.key ?? null,
    send.fallback?.body ?? null,
    send.ref ?? null,
    AT_ONCE,
    send.dueAt ?? null,
    send.expiresAt ?? null,
    askedDigest(send) ?? null,
    send.unlessMutedAt === undefined ? 0 : 1,
  ]
}
