import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { SwitchhookError } from '../../base/errors.ts'
import { isBusy, OPENING_BUSY_MS } from './connection.ts'
import { logOf } from './write-ahead-log.ts'

const LOOK_AGAIN_MS = 20

/**
 * Refuses a database whose log was removed while another process has it open: opened now, the two would write logs of
 * their own, and one of them would be lost. That process saves its log within seconds, if it may.
 *
 * @throws SwitchhookError `store_unavailable`
 */
export function refuseBesideRemovedLog(file: string): void {
  for (let waited = 0; existsSync(file) && !existsSync(logOf(file)) && !isAlone(file); waited += LOOK_AGAIN_MS) {
    if (waited >= OPENING_BUSY_MS)
      throw new SwitchhookError(
        'store_unavailable',
        `the database ${file} has lost its log, which was removed while another process has it open: end that process, ` +
          'and start again; find out who removes files beside it',
      )
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS)
  }
}

/** SQLite takes the exclusive lock before it makes a log, so that a refused look leaves none. */
function isAlone(file: string): boolean {
  let raw: Database.Database | undefined
  try {
    raw = new Database(file, { timeout: 0 })
    raw.pragma('locking_mode = EXCLUSIVE')
    raw.pragma('user_version')
    return true
  } catch (error) {
    // Whatever else is wrong is said by the opening.
    return !isBusy(error)
  } finally {
    raw?.close()
  }
}
