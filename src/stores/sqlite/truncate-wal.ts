import { statSync } from 'node:fs'
import type { Compacted } from '../port/index.ts'
import type { Connection } from './connection.ts'

/** Frames that are left to a checkpoint which keeps others from writing: a few milliseconds. */
const FEW_FRAMES = 256

/**
 * Checkpoints SQLite's write-ahead log and truncates it. It waits for no other process, since that would block the event
 * loop: while another one reads or writes, SQLite checkpoints what it can, and the log keeps its length. The checkpoint
 * that truncates keeps others from writing to its end, so one that does not goes before it.
 */
export function truncateWal({ raw }: Connection, file: string): Compacted {
  const [first] = raw.pragma('wal_checkpoint(PASSIVE)') as Checkpointed[]
  const isNear = first !== undefined && first.busy === 0 && first.log - first.checkpointed <= FEW_FRAMES
  const [result] = isNear ? (raw.pragma('wal_checkpoint(TRUNCATE)') as Checkpointed[]) : []
  return { whole: result?.busy === 0, logBytes: sizeOf(`${file}-wal`) }
}

/** The answer to a checkpoint: frames in the log, and those of them that the database has. */
interface Checkpointed {
  readonly busy: number
  readonly log: number
  readonly checkpointed: number
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
