import Database from 'better-sqlite3'
import { isBusy } from './connection.ts'

/** At the opening by the only user: whoever held these lanes is gone, so nobody waits for a lease to end. */
export const FREE_ALL = 'UPDATE processes SET until = 0 WHERE dead = 0'

/**
 * Frees the lanes that a killed process still seems to hold, if this process is the file's only user: nobody else can
 * be at work, so nothing waits for a lease to end. SQLite gives an exclusive lock in WAL mode only if no other
 * connection is open; without the lock, leases run out by themselves.
 */
export function freeAbandonedLanes(file: string): void {
  const raw = new Database(file, { timeout: 0 })
  try {
    raw.pragma('locking_mode = EXCLUSIVE')
    raw.pragma('synchronous = FULL')
    raw.exec('BEGIN IMMEDIATE')
    raw.exec(FREE_ALL)
    raw.exec('COMMIT')
  } catch (error) {
    if (!isBusy(error)) throw error
  } finally {
    raw.close()
  }
}
