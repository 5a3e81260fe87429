import { announcement, type Announced, endIfDone, type RecipientEnd } from './announcement-rows.ts'
import { hashFor } from '../../../store/outbox/opt-outs.ts'
import { OPEN_SENDS } from '../../../store/outbox/rows.ts'
import { slotOfRecipient } from './slots.ts'
import { inTexts, sql } from '../../../store/database/sql.ts'
import { all, allAs, execute, exists, one, portionOf, type Steps, type Tx } from '../../../store/database/steps.ts'
import { sends, statuses } from '../../../store/database/outbox-tables.ts'
import { announcements, recipients } from './announcement-tables.ts'
import type { CustomerOfNumber } from '../../../store/database/customer-tables.ts'

export const RECIPIENT_STATES = [
  'waiting',
  'doubtful',
  'sent',
  'delivered',
  'read',
  'failed',
  'skipped',
  'unknown',
] as const

export type RecipientState = (typeof RECIPIENT_STATES)[number]

export interface RecipientRow {
  readonly customer: string
  readonly state: RecipientState
  readonly code: string | undefined
  readonly reason: string | undefined
  /** Wall time of the outcome. For a status, the time that the status names. */
  readonly at: number | undefined
  /** The columns of the recipient's row, as JSON. */
  readonly vars: string | undefined
}

interface Row extends Omit<RecipientRow, 'state'> {
  readonly stored: 'waiting' | 'invalid' | 'delivered' | 'read' | 'failed' | RecipientEnd
  readonly nth: number | undefined
  readonly messageId: string | undefined
  readonly upstreamId: string | undefined
  readonly resends: number
}

interface Shown extends RecipientRow {
  readonly row: Row
}

export interface RecipientQuery {
  readonly states?: readonly RecipientState[] | undefined
  readonly after?: string | undefined
  readonly customer?: string | undefined
  readonly limit: number
}

/** How many rows one query reads at least. It filters them by state afterwards, so few of them may be listed. */
const AT_ONCE = 500

/** Lists recipients. `next`: where the next page begins. This page may be empty, and there may still be a next one. */
export function* listRecipients(id: number, { states, after = '', customer, limit }: RecipientQuery) {
  const found = yield* announcement(id)
  const which = customer === undefined ? NOT_LIMITED : sql`AND customer = ${customer}`
  const shown = found ? yield* shownAfter(found, after, Math.max(limit, AT_ONCE), which) : []
  const wanted = shown.filter(({ state }) => states === undefined || states.includes(state)).slice(0, limit)
  const rows = wanted.map((one): RecipientRow => {
    const { row: _, ...recipient } = one
    return recipient
  })
  const last =
    wanted.length === limit ? wanted.at(-1) : shown.length < Math.max(limit, AT_ONCE) ? undefined : shown.at(-1)
  return { recipients: rows, next: last?.customer }
}

/** Counts the recipients after `after` whose statuses report delivered, read or failed. Reads one portion. */
export function* countReached(id: number, after: string) {
  const counts = { delivered: 0, read: 0, failed: 0 }
  const found = yield* announcement(id)
  const shown = found ? yield* shownAfter(found, after, AT_ONCE, SETTLED_BY_STATUS) : []
  for (const { state } of shown) if (state === 'delivered' || state === 'read' || state === 'failed') counts[state]++
  return { counts, next: shown.length < AT_ONCE ? undefined : shown.at(-1)?.customer }
}

const MOST_REASONS = 20

/** Counts recipients by the reason of their outcome. A retry accepts these reasons, except those of `invalid` rows. */
export function* reasonsOf(id: number) {
  return yield* all<{ state: 'refused' | 'unknown' | 'invalid'; reason: string; count: number }>(sql`
    SELECT state, coalesce(code, state) AS reason, count(*) AS count FROM ${recipients}
    WHERE announcement = ${id} AND state IN ('refused', 'unknown', 'invalid')
    GROUP BY state, coalesce(code, state) ORDER BY count(*) DESC, coalesce(code, state) LIMIT ${MOST_REASONS}`)
}

const NOT_LIMITED = sql``
const SETTLED_BY_STATUS = sql`AND state IN ('sent', 'delivered', 'read', 'failed')`

function* shownAfter(found: Announced, after: string, limit: number, which = NOT_LIMITED): Steps<readonly Shown[]> {
  const rows = yield* allAs<Row>(sql`
    SELECT r.customer, r.state AS stored, r.nth, r.code, r.reason, r.at, r.vars, r.resends,
      s.message_id AS "messageId", s.upstream_id AS "upstreamId"
    FROM (SELECT * FROM ${recipients} WHERE announcement = ${found.id} AND customer > ${after} ${which}
      ORDER BY customer LIMIT ${limit}) r LEFT JOIN ${sends} s ON s.seq = r.send ORDER BY r.customer`)
  const ids = rows.flatMap(({ messageId, upstreamId }) => [messageId ?? [], upstreamId ?? []].flat())
  const told = yield* allAs<{ message: string; status: string; at: number; reason: string | undefined }>(sql`
    SELECT message, status, at, reason FROM ${statuses}
    WHERE message ${inTexts(ids)} AND number = ${found.number} ORDER BY at`)
  const of = Map.groupBy(told, ({ message }) => message)
  return rows.map((row) => {
    const { customer, code, reason, at, vars } = row
    const known = { customer, code, reason, at, vars, state: stateOf(row, found), row }
    if (row.stored !== 'sent') return known
    const reached = [row.messageId, row.upstreamId].flatMap((message) =>
      message === undefined ? [] : (of.get(message) ?? []),
    )
    return { ...known, ...furthest(reached) }
  })
}

const STORED: Readonly<Record<Exclude<Row['stored'], 'refused'>, RecipientState>> = {
  waiting: 'waiting',
  invalid: 'failed',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
  opted_out: 'skipped',
  silent: 'skipped',
  unknown: 'unknown',
}

function stateOf({ stored, nth }: Row, { acceptedAt, state }: Announced): RecipientState {
  if (stored !== 'refused') return STORED[stored]
  return (state === 'running' || state === 'paused') && (nth ?? 0) > acceptedAt ? 'doubtful' : 'failed'
}

const RANKS: readonly string[] = ['delivered', 'read', 'played']

/** Returns the most advanced status. A failure does not count if the message was delivered or read. */
function furthest(
  statuses: readonly { readonly status: string; readonly at: number; readonly reason: string | undefined }[],
): Pick<RecipientRow, 'state' | 'at' | 'reason'> | undefined {
  const [best] = statuses
    .filter(({ status }) => RANKS.includes(status))
    .toSorted((a, b) => RANKS.indexOf(b.status) - RANKS.indexOf(a.status))
  if (best) return { state: best.status === 'delivered' ? 'delivered' : 'read', at: best.at, reason: undefined }
  const failed = statuses.find(({ status }) => status === 'failed')
  return failed && { state: 'failed', at: failed.at, reason: failed.reason }
}

// ── a second try ───────────────────────────────────────────────────────────────────────────────────────

export interface Retry {
  /** Codes or reasons of refusals to retry. Messages with `unknown` or `restored` may have been sent. */
  readonly reasons?: readonly string[] | undefined
  /** Also retries messages that the service accepted and that failed afterwards: once each, under another key. */
  readonly failedLater?: boolean | undefined
}

/** Makes a portion of the failed recipients wait again. Continue with `next` as `after` until it is undefined. */
export function* retryRecipients(tx: Tx, id: number, retry: Retry, after: string) {
  const found = yield* announcement(id)
  if (!found || found.state === 'cancelled') return { count: 0, next: undefined }
  const shown = yield* shownAfter(found, after, AT_ONCE)
  const counts = { sent: 0, refused: 0, unknown: 0 }
  const next = yield* portionOf(tx, shown, AT_ONCE, function* (recipient) {
    const again = againOf(recipient, retry)
    if (!again) return
    const changed = yield* execute(sql`
      UPDATE ${recipients} SET state = 'waiting', nth = NULL, at = NULL, code = NULL, reason = NULL, send = NULL,
        resends = resends + ${again.raises ? 1 : 0}
      WHERE announcement = ${id} AND customer = ${recipient.customer} AND state = ${recipient.row.stored}`)
    counts[again.from] += changed
  })
  const count = counts.sent + counts.refused + counts.unknown
  if (count > 0) {
    yield* execute(sql`
      UPDATE ${announcements} SET sent = sent - ${counts.sent}, refused = refused - ${counts.refused},
        unknown = unknown - ${counts.unknown}, ended_at = NULL,
        state = CASE WHEN state = 'done' THEN 'running' ELSE state END WHERE id = ${id}`)
    tx.wake('features')
  }
  return { count, next: next?.customer }
}

function againOf(
  { state, code, reason, row }: Shown,
  { reasons, failedLater = false }: Retry,
): { readonly from: 'sent' | 'refused' | 'unknown'; readonly raises: boolean } | undefined {
  const isNamed = reasons?.some((one) => one === code || one === reason) === true
  const isWanted = reasons === undefined || isNamed
  if (row.stored === 'refused') return state === 'failed' && isWanted ? { from: 'refused', raises: false } : undefined
  // The retry has the same key. If the service remembers the key, the recipient does not get a second message.
  if (row.stored === 'unknown' && code === 'restored') return isNamed ? { from: 'unknown', raises: false } : undefined
  if (row.resends > 0) return undefined
  if (row.stored === 'unknown')
    return isNamed || reasons?.includes('unknown') ? { from: 'unknown', raises: true } : undefined
  const hasFailedLater = state === 'failed' && (row.stored === 'sent' || row.stored === 'failed')
  return hasFailedLater && failedLater && isWanted ? { from: 'sent', raises: true } : undefined
}

// ── removal ─────────────────────────────────────────────────────────────────────────────────────────

/** Copies the outcome of a send into its recipient's row, before pruning removes the send. */
export function* freezeRecipient(send: number): Steps<void> {
  const row = yield* one<{ announcement: number; customer: string }>(sql`
    SELECT announcement, customer FROM ${recipients} WHERE send = ${send}`)
  const found = row && (yield* announcement(row.announcement))
  if (!row || !found) return
  const before = yield* one<{ customer: string }>(sql`
    SELECT max(customer) AS customer FROM ${recipients} WHERE announcement = ${row.announcement} AND customer < ${row.customer}`)
  const [shown] = yield* shownAfter(found, before?.customer ?? '', 1)
  const state = shown?.row.stored === 'sent' ? shown.state : shown?.row.stored
  yield* execute(sql`
    UPDATE ${recipients} SET state = ${state}, at = ${shown?.at}, reason = ${shown?.reason}, send = NULL
    WHERE announcement = ${row.announcement} AND customer = ${row.customer}`)
}

/** Forgets a recipient. Recipients who may have the message leave a keyed hash, so that they do not get it again. */
export function* forgetRecipient({ number, customer }: CustomerOfNumber, now: number): Steps<void> {
  const rows = yield* all<{ id: number; name: string; state: string; resends: number; send: number | null }>(sql`
    SELECT a.id, a.name, r.state, r.resends, r.send FROM ${announcements} a
    JOIN ${recipients} r ON r.announcement = a.id AND r.customer = ${customer} WHERE a.number = ${number}`)
  for (const { id, name, state, resends, send } of rows) {
    const who = sql`announcement = ${id} AND customer = ${customer}`
    const isUnsure = state === 'waiting'
    if (isUnsure && !(yield* isUnderWay({ number, slot: slotOfRecipient(name, customer, resends) }))) {
      yield* execute(sql`DELETE FROM ${recipients} WHERE ${who}`)
      yield* execute(sql`UPDATE ${announcements} SET total = total - 1 WHERE id = ${id}`)
    } else {
      if (send !== null) yield* freezeRecipient(send)
      yield* execute(sql`
        UPDATE ${recipients} SET customer = ${yield* hashFor(customer)}, given = NULL, vars = NULL, send = NULL,
          state = ${isUnsure ? sql`'unknown'` : sql`state`} WHERE ${who}`)
      yield* execute(sql`
        UPDATE ${announcements} SET unknown = unknown + ${isUnsure ? 1 : 0},
          blamed = CASE WHEN blamed = ${customer} THEN NULL ELSE blamed END,
          probed = CASE WHEN probed = ${customer} THEN NULL ELSE probed END WHERE id = ${id}`)
    }
    yield* endIfDone(id, now)
  }
}

function isUnderWay({ number, slot }: { readonly number: string; readonly slot: string }): Steps<boolean> {
  return exists(sql`
    SELECT 1 FROM ${sends} WHERE seq IN ${OPEN_SENDS} AND number = ${number} AND slot = ${slot} AND state = 'attempting'`)
}

export function* pruneAnnouncements(before: number, limit: number): Steps<boolean> {
  const old = yield* one<{ id: number }>(
    sql`SELECT id FROM ${announcements} WHERE ended_at < ${before} ORDER BY id LIMIT 1`,
  )
  if (!old) return false
  const removed = yield* execute(sql`
    DELETE FROM ${recipients} WHERE announcement = ${old.id} AND customer IN (
      SELECT customer FROM ${recipients} WHERE announcement = ${old.id} ORDER BY customer LIMIT ${limit})`)
  if (removed < limit) yield* execute(sql`DELETE FROM ${announcements} WHERE id = ${old.id}`)
  return true
}
