import { statSync } from 'node:fs'
import type { Compacted } from '../port/index.ts'
import { BUSY_MS, type Connection } from './connection.ts'

/**
 * Moves the log into the file and cuts the log to nothing. It waits for nobody, since that would block the event loop:
 * if another process reads or writes, as much was moved as could be, and the log stays as long as it is.
 */
export function cutLog({ raw }: Connection, file: string): Compacted {
  raw.pragma('busy_timeout = 0')
  try {
    const [result] = raw.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    return { whole: result?.busy === 0, logBytes: sizeOf(`${file}-wal`) }
  } finally {
    raw.pragma(`busy_timeout = ${BUSY_MS}`)
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
