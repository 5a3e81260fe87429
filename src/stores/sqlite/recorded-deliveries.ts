import type { RecordedDelivery } from '../port/index.ts'
import { type Sql, unavailable } from './connection.ts'
import { openToRead } from './open-to-read.ts'

// A suspected replay, a conflict or a stale delivery may be forged, or bear another event's name, which is not signed.
const UNDERSTOOD = "event IS NOT NULL AND state IN ('stored', 'ignored', 'rendered_anew')"
const RECORDED = `
  SELECT d.seq, d.event, c.content AS body FROM deliveries d JOIN contents c ON c.place = d.body_place
  WHERE d.seq > ? AND d.received_at >= ? AND (? IS NULL OR d.event = ?) AND ${UNDERSTOOD}
  ORDER BY d.seq LIMIT ?`
// The latest of each event come first, so that frequent events do not crowd out a rare one.
const LATEST = `
  SELECT d.seq, d.event, c.content AS body
  FROM (
    SELECT seq, row_number() OVER (PARTITION BY event ORDER BY seq DESC) AS nth FROM deliveries
    WHERE body_place IS NOT NULL AND ${UNDERSTOOD}
  ) latest JOIN deliveries d USING (seq) JOIN contents c ON c.place = d.body_place
  WHERE nth <= ? ORDER BY nth, d.seq DESC`

/** See `Store.recordedDeliveries`. */
export function recordedDeliveries(
  sql: Sql,
  query: { readonly event?: string; readonly receivedFrom?: number; readonly after: number; readonly limit: number },
): RecordedDelivery[] {
  const { event = null, receivedFrom = Number.MIN_SAFE_INTEGER, after, limit } = query
  return sql(RECORDED).all(after, receivedFrom, event, event, limit) as RecordedDelivery[]
}

/**
 * Reads the latest recorded deliveries of each event out of a database that an app may be working on: it is neither
 * created nor migrated nor written (if no app runs, SQLite leaves an empty log beside it, which the next app clears).
 * `bytes` bounds what is held in memory; a first delivery is read whatever its size.
 *
 * @throws SwitchhookError as `openToRead` does.
 */
export function latestDeliveries(
  file: string,
  { perEvent, bytes }: { readonly perEvent: number; readonly bytes: number },
): RecordedDelivery[] {
  const connection = openToRead(file)
  try {
    const found: RecordedDelivery[] = []
    let size = 0
    for (const row of connection.sql(LATEST).iterate(perEvent) as IterableIterator<RecordedDelivery>) {
      size += row.body.length
      if (found.length > 0 && size > bytes) break
      found.push(row)
    }
    return found
  } catch (error) {
    throw unavailable(file, error)
  } finally {
    connection.close()
  }
}
