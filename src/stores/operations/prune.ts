import type { Pruned, PruneMark, Pruning } from '../port/index.ts'
import type { Tx } from './steps.ts'
import { pruneSends } from './prune-sends.ts'
import { cutContents } from './contents.ts'
import { eraseForgotten } from './forget.ts'
import { pruneBytes, type StageEnd } from './prune-bytes.ts'
import { pruneClaims, pruneRows } from './prune-rows.ts'
import type { Steps } from './steps.ts'

const FIRST = { receivedAt: Number.MIN_SAFE_INTEGER, seq: 0 }

/** One small transaction of pruning: see `Store.prune`. */
export function* prune(tx: Tx, pruning: Pruning): Steps<Pruned> {
  const after = pruning.after ?? { stage: 'bytes', ...FIRST }
  if (tx.newerSchema() !== undefined) return { wiped: 0, removed: 0, next: undefined }
  switch (after.stage) {
    case 'bytes': {
      const { pruned, at } = yield* pruneBytes(pruning, after)
      return { wiped: pruned, removed: 0, next: goOn('bytes', at, 'room') }
    }
    case 'room':
      return { wiped: 0, removed: 0, next: (yield* cutContents(tx)) ? after : { stage: 'rows', ...FIRST } }
    case 'rows': {
      const { pruned, at } = yield* pruneRows(tx, pruning, after)
      return { wiped: 0, removed: pruned, next: goOn('rows', at, 'claims') }
    }
    case 'claims':
      return { wiped: 0, removed: 0, next: (yield* pruneClaims(pruning, after)) ?? { stage: 'sends', ...FIRST } }
    case 'sends':
      yield* eraseForgotten(tx)
      return { wiped: 0, removed: 0, next: (yield* pruneSends(pruning)) ? after : undefined }
  }
}

function goOn(stage: PruneMark['stage'], at: StageEnd['at'], then: PruneMark['stage']): PruneMark {
  return at ? { stage, ...at } : { stage: then, ...FIRST }
}
