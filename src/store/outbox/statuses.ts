import { numberNamesOf } from '../work/subscriptions.ts'
import { sql, textValue } from '../database/sql.ts'
import type { RowOf } from '../database/table.ts'
import {
  all,
  allAs,
  allTogether,
  sideBySideUntilLong,
  exists,
  execute,
  type Steps,
  type Tx,
} from '../database/steps.ts'
import { answerFailed } from './failed-sends.ts'
import { isByPerson } from './send-rules.ts'
import { findRow, findSend, partsOf, type Row, isAttempting } from './rows.ts'
import { reached, sends, statuses, type SendRow } from '../database/outbox-tables.ts'
import type { StartedItem } from '../work/items.ts'

export interface NewStatus {
  readonly number: string
  readonly messageId: string | undefined
  readonly upstreamId: string | undefined
  readonly status: string
  readonly at: number
  readonly reason: string | undefined
}

/** Records a status. It counts only for messages of the delivery's number, because a delivery may have any id in it. */
export function* recordStatus({ messageId, upstreamId, ...status }: NewStatus, now: number): Steps<void> {
  const known = yield* findRow({ messageId, upstreamId, number: status.number })
  if (known?.upstream_id === null && upstreamId !== undefined) yield* learnUpstreamId(known, upstreamId)
  const number = known?.number ?? status.number
  // Only the first report of a failure counts: when it is repeated, a person may have answered the customer since.
  const failsNow =
    status.status === 'failed' && known && isByPerson(known) && !(yield* hasFailed(number, messageId, upstreamId))
  for (const message of [messageId, upstreamId])
    if (message !== undefined)
      yield* execute(sql`
        INSERT INTO ${statuses} (message, status, at, number, reason, received_at, stray)
        VALUES (${message}, ${status.status}, ${status.at}, ${number}, ${status.reason}, ${now},
          ${known ? undefined : 1})
        ON CONFLICT DO NOTHING`)
  if (failsNow) yield* answerFailed(known, now)
}

export function hasFailed(number: string, messageId?: string, upstreamId?: string): Steps<boolean> {
  return exists(sql`
    SELECT 1 FROM ${statuses} WHERE message IN (${messageId}, ${upstreamId}) AND number = ${number} AND status = 'failed'
      AND stray IS NULL LIMIT 1`)
}

function* learnUpstreamId({ id, number, message_id }: Row, upstreamId: string): Steps<void> {
  if (yield* exists(sql`SELECT 1 FROM ${sends} WHERE upstream_id = ${upstreamId} AND number = ${number}`)) return
  yield* execute(sql`UPDATE ${sends} SET upstream_id = ${upstreamId} WHERE id = ${id}`)
  yield* adoptStatuses(number, message_id ?? upstreamId, upstreamId)
}

/** Gives a send the statuses that arrived before its ids were known. */
export function* adoptStatuses(number: string, messageId: string, upstreamId = messageId): Steps<void> {
  const strays = sql`statuses WHERE message IN (${messageId}, ${upstreamId}) AND stray = 1`
  const subscriptions = yield* all<{ number: string }>(sql`SELECT DISTINCT number FROM ${strays}`)
  for (const { number: by } of subscriptions.filter((one) => numberNamesOf(one.number).includes(number))) {
    yield* execute(sql`
      INSERT INTO ${statuses} (message, number, status, at, reason, received_at)
      SELECT message, ${textValue(number)}, status, at, reason, received_at FROM ${strays} AND number = ${by}
      ON CONFLICT (message, number, status, at) DO UPDATE SET stray = NULL`)
    yield* execute(sql`DELETE FROM ${strays} AND number = ${by}`)
  }
}

/**
 * Lists the statuses of a send. A status that arrived at the same time as the send's answer may still be a stray,
 * because neither transaction saw the other. Such a status is included.
 */
export function* statusesOf({ number, messageId, upstreamId }: SendRow) {
  const rows = yield* allAs<{ status: string; at: number; reason: string | undefined; subscription: string }>(sql`
    SELECT DISTINCT status, at, reason, CASE stray WHEN 1 THEN number ELSE ${textValue(number)} END AS subscription FROM ${statuses}
    WHERE message IN (${messageId}, ${upstreamId}) AND (number = ${number} OR stray = 1) ORDER BY at, status`)
  const known = new Set<string>()
  return rows.flatMap(({ subscription, ...row }) => {
    const isNew = numberNamesOf(subscription).includes(number) && !known.has(`${row.at} ${row.status}`)
    known.add(`${row.at} ${row.status}`)
    return isNew ? [row] : []
  })
}

/** The keys that operations on a status share. A payload may name only one of the ids. */
export function keysOfStatus({ messageId, upstreamId }: StatusIds, prefix: string): readonly string[] {
  return [messageId, upstreamId].flatMap((id) => (id === undefined ? [] : [`${prefix}${id}`]))
}

type StatusIds = Pick<NewStatus, 'messageId' | 'upstreamId'>

export interface SendWithStatuses {
  readonly row: SendRow
  readonly statuses?: readonly { readonly status: string; readonly reason: string | undefined }[]
  readonly parts?: readonly SendWithStatuses[]
}

/** @param parts its parts, which may be newer than those in the store. */
export function* withStatuses(row: SendRow, parts?: readonly SendRow[]): Steps<SendWithStatuses> {
  const statuses = yield* statusesOf(row)
  if (row.part === undefined) return { row, statuses }
  const shown: SendWithStatuses[] = []
  for (const part of parts ?? (yield* partsOf(row.part.of)))
    shown.push({ row: part, statuses: yield* statusesOf(part) })
  return { row, statuses, parts: shown }
}

/**
 * Returns what the handlers of a status need. `implied`: this status, and the earlier ones that it implies. `reports`:
 * those that no item of this message has reported before; a rerun gets the same list. Undefined if it is too early: the
 * status may be of a send that has no id yet, because its answer has not arrived.
 */
export function* statusForHandlers(
  item: Pick<StartedItem, 'id' | 'number' | 'customer' | 'createdAt'>,
  ids: StatusIds,
  implied: readonly string[],
): Steps<{ readonly sent: SendWithStatuses | undefined; readonly reports: readonly string[] } | undefined> {
  const { number } = item
  const find = () => findSend({ ...ids, number })
  let row = yield* find()
  if (!row && (yield* isAttempting(number, item.customer, item.createdAt))) return undefined
  // Over PostgreSQL the answer may have been stored between the two reads.
  row ??= yield* find()
  const message = row?.id ?? ids.messageId ?? ids.upstreamId ?? String(item.id)
  const reports = implied.length > 0 ? yield* reportsOf(item, message, implied) : []
  return { sent: row && (yield* withStatuses(row)), reports }
}

function* reportsOf(
  { id, number }: Pick<StartedItem, 'id' | 'number'>,
  message: string,
  implied: readonly string[],
): Steps<readonly string[]> {
  for (const status of implied)
    yield* execute(sql`
      INSERT INTO ${reached} (message, number, status, item) VALUES (${message}, ${number}, ${status}, ${id})
      ON CONFLICT DO NOTHING`)
  const rows = yield* all<{ status: string }>(sql`
    SELECT status FROM ${reached} WHERE message = ${message} AND number = ${number} AND item = ${id}`)
  const own = new Set(rows.map(({ status }) => status))
  return implied.filter((status) => own.has(status))
}

const STRAYS_KEPT_MS = 48 * 3_600_000
const STRAYS_KEPT = 100_000

type Stray = RowOf<typeof statuses>

/** Removes statuses of unknown messages. If a send has got that id meanwhile, it gets the status instead. */
export function* pruneStrays(
  tx: Pick<Tx, 'isLong'>,
  { now, limit }: { readonly now: number; readonly limit: number },
): Steps<{ pruned: number; next: [] | undefined }> {
  const [oldest = [], [count] = []] = yield* allTogether<Stray & { n: number }>(
    sql`SELECT * FROM ${statuses} WHERE stray = 1 ORDER BY received_at LIMIT ${limit}`,
    sql`SELECT count(*) AS n FROM ${statuses} WHERE stray = 1`,
  )
  const tooMany = (count?.n ?? 0) - STRAYS_KEPT
  const dropped = oldest.filter((stray, index) => stray.received_at < now - STRAYS_KEPT_MS || index < tooMany)
  let pruned = 0
  const branches = dropped.map((stray) => ({
    keys: [stray.message],
    *begin() {
      if (!(yield* adopt(stray))) pruned += yield* removeStray(stray)
    },
  }))
  const done = yield* sideBySideUntilLong(tx, branches)
  const isWhole = done === dropped.length && dropped.length < limit
  return { pruned, next: isWhole ? undefined : [] }
}

function* adopt({ message, number }: Stray): Steps<boolean> {
  const found = yield* all<{ number: string }>(sql`
    SELECT number FROM ${sends} WHERE message_id = ${message} UNION SELECT number FROM ${sends} WHERE upstream_id = ${message}`)
  const send = found.find((one) => numberNamesOf(number).includes(one.number))
  if (send) yield* adoptStatuses(send.number, message)
  return send !== undefined
}

function removeStray({ message, number, status, at }: Stray): Steps<number> {
  return execute(sql`
    DELETE FROM ${statuses}
    WHERE message = ${message} AND number = ${number} AND status = ${status} AND at = ${at} AND stray = 1`)
}
