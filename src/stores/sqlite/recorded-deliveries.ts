import type { RecordedDelivery } from '../port/index.ts'
import type { Connection } from './connection.ts'
import { UNDERSTOOD } from './recorded.ts'

const RECORDED = `
  SELECT d.seq, d.event, c.content AS body FROM deliveries d JOIN contents c ON c.place = d.body_place
  WHERE d.seq > ? AND d.received_at >= ? AND (? IS NULL OR d.event = ?) AND ${UNDERSTOOD}
  ORDER BY d.seq LIMIT ?`

/** See `Store.recordedDeliveries`. */
export function recordedDeliveries(
  sql: Connection['sql'],
  query: { readonly event?: string; readonly receivedFrom?: number; readonly after: number; readonly limit: number },
): RecordedDelivery[] {
  const { event = null, receivedFrom = Number.MIN_SAFE_INTEGER, after, limit } = query
  return sql(RECORDED).all(after, receivedFrom, event, event, limit) as RecordedDelivery[]
}
