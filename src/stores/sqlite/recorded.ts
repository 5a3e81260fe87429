import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { SwitchhookError } from '../../base/errors.ts'
import { BUSY_MS, unavailable } from './connection.ts'

/** A delivery that was received, verified and understood, as it lies in the inbox. */
export interface Recorded {
  readonly event: string
  readonly body: Uint8Array
}

// A suspected replay, a conflict and a stale one may be nobody's or bear another event's name, which is not signed.
export const UNDERSTOOD = "event IS NOT NULL AND state IN ('stored', 'ignored', 'rendered_anew')"
// The latest of each event come first, so that an event that is rare is not crowded out by the others.
const RECORDED = `
  SELECT d.event, c.content AS body
  FROM (
    SELECT seq, row_number() OVER (PARTITION BY event ORDER BY seq DESC) AS nth FROM deliveries
    WHERE body_place IS NOT NULL AND ${UNDERSTOOD}
  ) latest JOIN deliveries d USING (seq) JOIN contents c ON c.place = d.body_place
  WHERE nth <= ? ORDER BY nth, d.seq DESC`

/**
 * Reads the latest recorded deliveries of each event from a database that an app may be working on: it is neither
 * created nor migrated nor written (where no app runs, SQLite leaves an empty log beside it, which the next one
 * clears). `bytes` bounds what is held in memory; a first delivery is read whatever its size.
 *
 * @throws SwitchhookError `store_unavailable` where there is no such file, or where it is no such database.
 */
export function recorded(file: string, { perEvent, bytes }: { perEvent: number; bytes: number }): Recorded[] {
  if (!existsSync(file))
    throw new SwitchhookError(
      'store_unavailable',
      `there is no database at ${file}: name the app's own, or run the command in the app's folder`,
    )
  let raw: Database.Database | undefined
  try {
    raw = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS })
    const found: Recorded[] = []
    let size = 0
    for (const row of raw.prepare<unknown[], Recorded>(RECORDED).iterate(perEvent)) {
      size += row.body.length
      if (found.length > 0 && size > bytes) break
      found.push(row)
    }
    return found
  } catch (error) {
    throw unavailable(file, error)
  } finally {
    raw?.close()
  }
}
