import Database from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { SwitchhookError } from '../../base/errors.ts'
import { END_ALL_LEASES } from '../work/processes.ts'
import { isBusy } from './connection.ts'
import { logOf } from './write-ahead-log.ts'

export function openAlone(file: string): Database.Database | undefined {
  const raw = new Database(file, { timeout: 0 })
  try {
    // In WAL mode SQLite gives an exclusive lock only if no other connection is open.
    raw.pragma('locking_mode = EXCLUSIVE')
    raw.pragma('synchronous = FULL')
    // SQLite takes the lock before it creates a log, so a refused attempt leaves none.
    raw.pragma('user_version')
    return raw
  } catch (error) {
    raw.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/** Frees the lanes that a killed process still seems to hold. If other processes use the file, leases expire instead. */
export function freeAbandonedLanes(file: string): void {
  const raw = openAlone(file)
  try {
    raw?.exec(END_ALL_LEASES)
  } finally {
    raw?.close()
  }
}

const RETRY_MS = 20

/**
 * Refuses a database whose log was removed while another process has it open: each of the two would write its own log, and one
 * would be lost. The other process saves its log within seconds, if it is the only one; this blocks so long.
 *
 * @throws SwitchhookError `store_unavailable`
 */
export function refuseBesideRemovedLog(file: string, patienceMs: number): void {
  for (let waited = 0; existsSync(file) && !existsSync(logOf(file)) && !isAlone(file); waited += RETRY_MS) {
    if (waited >= patienceMs)
      throw new SwitchhookError(
        'store_unavailable',
        `the database ${file} has lost its log, which was removed while another process has it open: end that process, ` +
          'and start again; find out who removes files beside it',
      )
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
  }
}

function isAlone(file: string): boolean {
  try {
    const raw = openAlone(file)
    raw?.close()
    return raw !== undefined
  } catch {
    // Whatever else is wrong, the opening reports.
    return true
  }
}
