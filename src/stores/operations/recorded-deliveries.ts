import { OWN_SUBSCRIPTION, type RecordedDelivery } from '../port/index.ts'
import { all, Query, sql, type Steps, when } from './steps.ts'

// A suspected replay, a conflict or a stale delivery may be forged, or bear another event's name, which is not signed.
// The bot's own tellings are no deliveries of the service.
const UNDERSTOOD = new Query(
  `event IS NOT NULL AND state IN ('stored', 'ignored', 'rendered_anew') AND subscription <> '${OWN_SUBSCRIPTION}'`,
)

const RECORDED = new Query(
  'd.seq, d.event, d.delivery_id AS "deliveryId", d.subscription, d.received_at + d.clock_offset AS at',
)

/** See `Store.recordedDeliveries`. */
export function* recordedDeliveries(query: {
  readonly event?: string
  readonly receivedFrom?: number
  readonly after: number
  readonly limit: number
}): Steps<readonly RecordedDelivery[]> {
  const { event, receivedFrom, after, limit } = query
  return yield* all<RecordedDelivery>(sql`
    SELECT ${RECORDED}, c.body FROM deliveries d JOIN contents c ON c.place = d.body_place
    WHERE d.seq > ${after} AND ${UNDERSTOOD}
      ${when(receivedFrom !== undefined, () => sql`AND d.received_at >= ${receivedFrom}`)}
      ${when(event !== undefined, () => sql`AND d.event = ${event}`)}
    ORDER BY d.seq LIMIT ${limit}`)
}

/** See `Reader.latestDeliveries`. */
export function latestDeliveries({
  perEvent,
  bytes,
}: {
  readonly perEvent: number
  readonly bytes: number
}): Steps<readonly RecordedDelivery[]> {
  return all<RecordedDelivery>(sql`
    SELECT l.seq, l.event, l."deliveryId", l.subscription, l.at, c.body
    FROM (
      SELECT ${RECORDED}, d.body_place, n.nth, sum(length(b.body)) OVER latest AS size, row_number() OVER latest AS place
      FROM (
        SELECT seq, row_number() OVER (PARTITION BY event ORDER BY seq DESC) AS nth FROM deliveries
        WHERE body_place IS NOT NULL AND ${UNDERSTOOD}
      ) n JOIN deliveries d ON d.seq = n.seq JOIN contents b ON b.place = d.body_place
      WHERE n.nth <= ${perEvent} WINDOW latest AS (ORDER BY n.nth, d.seq DESC)
    ) l JOIN contents c ON c.place = l.body_place
    WHERE l.size <= ${bytes} OR l.place = 1 ORDER BY l.nth, l.seq DESC`)
}
