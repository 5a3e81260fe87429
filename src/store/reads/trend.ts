import { sql } from '../database/sql.ts'
import { allAs, type Steps, MOST_COUNTED } from '../database/steps.ts'
import { whoWait } from './needs-person.ts'
import { inbox, work } from '../database/inbox-tables.ts'
import { sends } from '../database/outbox-tables.ts'

/** A customer's message and its outcome. Times are wall times. */
export interface TrendRow {
  readonly number: string
  readonly at: number
  /** Time at which the service accepted the first message that this message's handlers sent to the customer. */
  readonly answeredAt: number | undefined
  /** 1 if its handlers failed for good, a fact was missing, or a message to the customer was refused or is unknown. */
  readonly failed: 0 | 1
}

/**
 * The most rows that are read, of deliveries and of sends, including statuses. It bounds the cost, however much
 * arrives.
 */
const MOST_READ = 20_000

const NEWEST = sql`id > (SELECT coalesce(max(id), 0) FROM ${inbox}) - ${MOST_READ}`

/**
 * Returns the messages since `from` among the newest rows. If these rows begin later, `countedFrom` is when. `waits`:
 * customers who wait for a person, at service time.
 */
export function* trend({ from, serviceNow }: { readonly from: number; readonly serviceNow: number }) {
  const messages: readonly TrendRow[] = yield* allAs<TrendRow>(sql`
    WITH answers AS MATERIALIZED (
      SELECT delivery, customer, min(CASE WHEN state = 'accepted' THEN settled_at END) AS at,
        max(CASE WHEN state IN ('refused', 'unknown') THEN 1 ELSE 0 END) AS failed
      FROM ${sends}
      WHERE seq > (SELECT coalesce(max(seq), 0) FROM ${sends}) - ${MOST_READ} AND created_at >= ${from} AND delivery IS NOT NULL
      GROUP BY delivery, customer)
    SELECT i.number, i.received_at AS at, a.at AS "answeredAt",
      CASE WHEN w.state IN ('dead', 'parked') OR a.failed = 1 THEN 1 ELSE 0 END AS failed
    FROM ${inbox} i
      LEFT JOIN ${inbox} b ON b.id = i.bundle
      LEFT JOIN ${inbox} d ON d.id = coalesce(b.delivery, b.id, i.delivery, i.id)
      LEFT JOIN ${work} w ON w.item = i.id
      LEFT JOIN answers a ON a.delivery = coalesce(d.delivery_id, d.other_id) AND a.customer = i.customer
    WHERE i.${NEWEST} AND i.received_at >= ${from} AND coalesce(i.kind, '') = 'message' AND coalesce(i.mark, '') <> 'same_message'`)
  const [oldest] = yield* allAs<{ at: number; isFirst: number }>(sql`
    SELECT i.received_at AS at, CASE WHEN EXISTS (SELECT 1 FROM ${inbox} e WHERE e.id < i.id) THEN 0 ELSE 1 END AS "isFirst"
    FROM ${inbox} i WHERE i.${NEWEST} ORDER BY i.id LIMIT 1`)
  const countedFrom = oldest && oldest.isFirst === 0 && oldest.at > from ? oldest.at : undefined
  return { messages, countedFrom, waits: yield* whoWait(serviceNow, MOST_COUNTED) }
}

export type Trend = ReturnType<typeof trend> extends Steps<infer T> ? T : never
