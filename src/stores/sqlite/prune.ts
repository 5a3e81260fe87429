import type { Pruned, PruneMark, Pruning } from '../port/index.ts'
import { cutContents } from './contents.ts'
import { eraseForgotten } from './forget.ts'
import type { Tx } from './group-commit.ts'
import { pruneBytes, type StageEnd } from './prune-bytes.ts'
import { pruneClaims } from './prune-claims.ts'
import { pruneRows } from './prune-rows.ts'
import { pruneSends } from '../operations/prune-sends.ts'
import { newerSchema } from './schema-version.ts'

const FIRST = { receivedAt: Number.MIN_SAFE_INTEGER, seq: 0 }

/** One small transaction of pruning: see `Store.prune`. */
export function prune(tx: Tx, pruning: Pruning): Pruned {
  const after = pruning.after ?? { stage: 'bytes', ...FIRST }
  if (newerSchema(tx.sql) !== undefined) return { wiped: 0, removed: 0, next: undefined }
  switch (after.stage) {
    case 'bytes': {
      const { pruned, at } = pruneBytes(tx, pruning, after)
      return { wiped: pruned, removed: 0, next: goOn('bytes', at, 'room') }
    }
    case 'room':
      return { wiped: 0, removed: 0, next: cutContents(tx) ? after : { stage: 'rows', ...FIRST } }
    case 'rows': {
      const { pruned, at } = pruneRows(tx, pruning, after)
      return { wiped: 0, removed: pruned, next: goOn('rows', at, 'claims') }
    }
    case 'claims':
      return { wiped: 0, removed: 0, next: pruneClaims(tx, pruning) ? after : { stage: 'sends', ...FIRST } }
    case 'sends':
      eraseForgotten(tx)
      return { wiped: 0, removed: 0, next: tx.drive(pruneSends(pruning)) ? after : undefined }
  }
}

function goOn(stage: PruneMark['stage'], at: StageEnd['at'], then: PruneMark['stage']): PruneMark {
  return at ? { stage, ...at } : { stage: then, ...FIRST }
}
