import { OWN_SUBSCRIPTION, type RecordedDelivery } from '../../port/index.ts'
import type { Reader } from '../../port/reader.ts'
import { all, one, Query, sql, type Steps, when } from '../steps.ts'

// A suspected replay, a conflict or a stale delivery may be forged, or bear another event's name, which is not signed.
// The bot's own tellings are no deliveries of the service.
const WITH_BYTES = new Query(
  `body_place IS NOT NULL AND event IS NOT NULL AND state IN ('stored', 'ignored', 'rendered_anew')
    AND subscription <> '${OWN_SUBSCRIPTION}'`,
)

const RECORDED = new Query(
  'd.seq, d.event, d.delivery_id AS "deliveryId", d.subscription, d.received_at + d.clock_offset AS at',
)

/** Rows that one read goes through: a few milliseconds, or some tens if they have to come from the disk. */
const AT_ONCE = 2_000

type RecordedQuery = Parameters<Reader['recordedDeliveries']>[0]

/** See `Store.recordedDeliveries`. Millions of rows that have lost their bytes may lie before the first. */
export async function recordedDeliveries(read: Read, query: RecordedQuery): Promise<readonly RecordedDelivery[]> {
  const found: RecordedDelivery[] = []
  let after: number | undefined = query.after
  while (after !== undefined && found.length < query.limit) {
    const rest: RecordedQuery = { ...query, after, limit: query.limit - found.length }
    const portion = await read(() => recordedPortion(rest))
    found.push(...portion.found)
    after = portion.next
  }
  return found
}

type Read = <T>(operation: () => Steps<T>) => Promise<T>

/** Those among the next rows, and where to go on; undefined if there are no more rows. */
function* recordedPortion({ event, receivedFrom, after, limit }: RecordedQuery) {
  const end = yield* one<{ seq: number }>(sql`
    SELECT seq FROM deliveries WHERE seq > ${after} ORDER BY seq LIMIT 1 OFFSET ${AT_ONCE - 1}`)
  const found = yield* all<RecordedDelivery>(sql`
    SELECT ${RECORDED}, c.body
    FROM (
      SELECT * FROM deliveries WHERE seq > ${after} AND seq <= ${end?.seq ?? Number.MAX_SAFE_INTEGER} AND ${WITH_BYTES}
        ${when(receivedFrom !== undefined, () => sql`AND received_at >= ${receivedFrom}`)}
        ${when(event !== undefined, () => sql`AND event = ${event}`)}
      ORDER BY seq LIMIT ${limit}
    ) d JOIN contents c ON c.place = d.body_place ORDER BY d.seq`)
  return { found, next: end?.seq }
}
