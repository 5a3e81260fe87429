import { OWN_SUBSCRIPTION, type RecordedDelivery } from '../port/index.ts'
import { all, Query, sql, type Steps, when } from './steps.ts'

// A suspected replay, a conflict or a stale delivery may be forged, or bear another event's name, which is not signed.
// The bot's own tellings are no deliveries of the service.
const UNDERSTOOD = new Query(
  `event IS NOT NULL AND state IN ('stored', 'ignored', 'rendered_anew') AND subscription <> '${OWN_SUBSCRIPTION}'`,
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
    SELECT d.seq, d.event, c.body FROM deliveries d JOIN contents c ON c.place = d.body_place
    WHERE d.seq > ${after} AND ${UNDERSTOOD}
      ${when(receivedFrom !== undefined, () => sql`AND d.received_at >= ${receivedFrom}`)}
      ${when(event !== undefined, () => sql`AND d.event = ${event}`)}
    ORDER BY d.seq LIMIT ${limit}`)
}

/** The latest recorded deliveries: those of each event come first, so that frequent events do not crowd out a rare one. */
export function latestQuery(perEvent: number): Query {
  return sql`
    SELECT d.seq, d.event, c.body
    FROM (
      SELECT seq, row_number() OVER (PARTITION BY event ORDER BY seq DESC) AS nth FROM deliveries
      WHERE body_place IS NOT NULL AND ${UNDERSTOOD}
    ) latest JOIN deliveries d ON d.seq = latest.seq JOIN contents c ON c.place = d.body_place
    WHERE nth <= ${perEvent} ORDER BY nth, d.seq DESC`
}
