import type { NewStatus } from '../../port/index.ts'
import type { HotTx } from '../transaction.ts'
import { listsOf, nullable, rowsOf } from './rows.ts'

/** Ids under which a status names its message. */
const NAMED = { message: nullable('text'), upstream: nullable('text') } as const

/** Statuses of sends that are known, and learn no id from them. A send that is unknown may just be getting its ids. */
export async function plainStatuses(tx: HotTx, statuses: readonly NewStatus[]): Promise<ReadonlySet<NewStatus>> {
  if (statuses.length === 0) return new Set()
  const named = statuses.map(({ messageId, upstreamId }) => ({ message: messageId, upstream: upstreamId }))
  const rows = await tx.rows<{ n: number }>(PLAIN, listsOf(NAMED, named))
  return new Set(rows.map(({ n }) => statuses[n - 1] as NewStatus))
}

const PLAIN = `
SELECT g.n FROM ${rowsOf(NAMED)} WHERE coalesce(
  (SELECT s.upstream_id IS NOT NULL OR g.upstream IS NULL FROM sends s WHERE s.message_id = g.message LIMIT 1),
  (SELECT true FROM sends s WHERE s.upstream_id = g.upstream LIMIT 1))`

const KEPT = {
  message: 'text',
  status: 'text',
  at: 'bigint',
  number: 'text',
  reason: nullable('text'),
  received_at: 'bigint',
} as const

/** Records statuses of known sends: see `recordStatus` of the operations. */
export async function keepStatuses(
  tx: HotTx,
  statuses: readonly { readonly status: NewStatus; readonly receivedAt: number }[],
): Promise<void> {
  const rows = statuses.flatMap(({ status: { messageId, upstreamId, status, at, number, reason }, receivedAt }) =>
    [messageId, upstreamId].flatMap((message) =>
      message === undefined ? [] : [{ message, status, at, number, reason, received_at: receivedAt }],
    ),
  )
  if (rows.length > 0) await tx.rows(KEEP, listsOf(KEPT, rows))
}

const NAMES = Object.keys(KEPT).join(', ')

const KEEP = `
INSERT INTO statuses (${NAMES})
SELECT ${NAMES} FROM ${rowsOf(KEPT)} ORDER BY message, status, at, n ON CONFLICT DO NOTHING`
