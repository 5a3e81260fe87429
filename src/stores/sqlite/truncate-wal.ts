import { statSync } from 'node:fs'
import type { Compacted } from '../port/index.ts'
import type { Connection } from './connection.ts'

/**
 * Checkpoints SQLite's write-ahead log and truncates it. It waits for no other process, since that would block the event
 * loop: while another one reads or writes, SQLite checkpoints what it can, and the log keeps its length.
 */
export function truncateWal({ raw }: Connection, file: string): Compacted {
  const [result] = raw.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
  return { whole: result?.busy === 0, logBytes: sizeOf(`${file}-wal`) }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
