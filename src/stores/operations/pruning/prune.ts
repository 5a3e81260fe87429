import type { Pruned, PruneMark, Pruning } from '../../port/index.ts'
import { cutContents } from '../items/contents.ts'
import { pruneStrays } from '../sends/statuses.ts'
import { one, run, sql, type Steps, type Tx } from '../steps.ts'
import { eraseForgotten, eraseOpenAgain } from './forget.ts'
import {
  pruneBytes,
  pruneClaims,
  pruneConversations,
  pruneCustomers,
  pruneRows,
  pruneSendsOfApp,
  type StageEnd,
} from './stages.ts'

/**
 * Removes what was settled long enough ago, a small transaction at a time: call it with `next` until there is none.
 * An unsettled, parked, dead or quarantined delivery and a conflict are never removed by age, and a suspected replay no
 * sooner than what it resembles. Identity claims live at least 30 days, sends and `once` results as long as their
 * delivery, and a delivery as long as one of its sends is open or unknown. A send under a key of the app's own goes
 * with the ids, unless it is unknown; statuses of unknown ids go after 48 h. It begins with `eraseForgotten`, which
 * looks again at what had not ended.
 */
export function* prune(tx: Tx, pruning: Pruning): Steps<Pruned> {
  if (tx.newerSchema() !== undefined) return { wiped: 0, removed: 0, next: undefined }
  if (!pruning.after) {
    const begunAt = yield* takeTurn(pruning)
    if (begunAt !== undefined) return { wiped: 0, removed: 0, next: undefined, begunAt }
    yield* eraseOpenAgain()
  }
  const { stage, at } = pruning.after ?? { stage: STAGES[0], at: [] }
  const { pruned = 0, next } = yield* runStage(tx, stage, pruning, at)
  const following = STAGES[STAGES.indexOf(stage) + 1]
  return {
    wiped: stage === 'bytes' ? pruned : 0,
    removed: stage === 'rows' ? pruned : 0,
    next: next ? { stage, at: next } : following && { stage: following, at: [] },
  }
}

/** The answer is when the last turn began, if it is another's still. */
function* takeTurn({ now, unlessSince }: Pruning): Steps<number | undefined> {
  if (unlessSince === undefined) return undefined
  const last = yield* one<{ value: number }>(sql`SELECT value FROM meta WHERE name = 'pruned_at'`)
  // A turn that lies ahead was taken before the clock went back.
  if (last && last.value > unlessSince && last.value <= now) return last.value
  yield* run(sql`
    INSERT INTO meta (name, value) VALUES ('pruned_at', ${now})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
  return undefined
}

/** Wiped bytes leave their room before more rows go. */
const STAGES = [
  'forgotten',
  'bytes',
  'room',
  'rows',
  'leftovers',
  'sends',
  'windows',
  'mutes',
  'sessions',
  'conversations',
] as const

function* runStage(tx: Tx, stage: PruneMark['stage'], pruning: Pruning, at: PruneMark['at']): Steps<StageEnd> {
  switch (stage) {
    case 'forgotten':
      return again(yield* eraseForgotten(tx, pruning.limit))
    case 'bytes':
      return yield* pruneBytes(tx, pruning, at)
    case 'room':
      return again(yield* cutContents(tx))
    case 'rows':
      return yield* pruneRows(tx, pruning, at)
    case 'leftovers':
      return again((yield* pruneClaims(tx, pruning)) || (yield* pruneStrays(tx, pruning)))
    case 'sends':
      return yield* pruneSendsOfApp(tx, pruning, at)
    case 'conversations':
      return yield* pruneConversations(tx, pruning, at)
    default:
      return yield* pruneCustomers(tx, stage, pruning, at)
  }
}

function again(more: boolean): StageEnd {
  return { next: more ? [] : undefined }
}
