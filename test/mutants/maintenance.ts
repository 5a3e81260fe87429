import type { Mutant } from './driver/mutant.ts'

/** Pruning and forgetting beside writers that wait. */
const MAINTENANCE = 'test/store/postgres/maintenance.test.ts'

export default [
  {
    file: 'src/store/postgres/postgres-store.ts',
    from: '    scan: (operation) => patiently(() => readOver(pool, operation, { begin: BEGIN_SCAN }), patience),\n',
    to: '',
    promise: 'GROW-30',
    killedBy: { [MAINTENANCE]: 'keeps no writer waiting for that' },
  },
  {
    file: 'src/store/postgres/transaction.ts',
    from: 'beginRead(`${SETTINGS}, ${BY_INDEX}`)',
    to: 'beginRead(SETTINGS)',
    breaks: 'The search for old rows goes by the indexes.',
    promise: 'GROW-30',
    killedBy: { 'test/store/postgres/plans.test.ts': 'does not read past the replies behind them' },
  },
  {
    file: 'src/store/maintenance/prune.ts',
    from: 'DELETE FROM ${customers} WHERE ${these} AND ${willKnowNothing(before)}',
    to: 'DELETE FROM ${customers} WHERE ${these} AND ${before} > 0',
    promise: 'GROW-31',
    killedBy: { [MAINTENANCE]: 'a customer who writes after the search for old ones stays' },
  },
  {
    file: 'src/store/outbox/statuses.ts',
    from: 'if (!(yield* adopt(stray))) pruned',
    to: 'if (true || !(yield* adopt(stray))) pruned',
    promise: 'GROW-32',
    killedBy: { [MAINTENANCE]: 'is that send’s, and not dropped' },
  },
  {
    file: 'src/store/maintenance/removal.ts',
    from: ') AS o WHERE cause ${inTexts(causes)} AND id ${notInNumbers(ids)}',
    to: ') AS o WHERE cause ${inTexts(causes)} AND id <> ${ids.length - 9_999}',
    promise: 'GROW-33',
    killedBy: { 'test/store/sqlite.test.ts': 'leave no reply behind if their messages are pruned' },
  },
  {
    file: 'src/store/database/steps.ts',
    from: 'size = Math.min(upto, 2 * size)',
    to: 'size = Math.min(upto, size)',
    breaks: 'Many old rows take few round trips.',
    promise: 'GROW-34',
    killedBy: { 'test/store/growing.test.ts': 'each portion is twice as large' },
  },
  {
    file: 'src/store/database/steps.ts',
    from: '    done = Math.min(rows.length, done + size)\n    if (tx.isLong()) break',
    to: '    done = Math.min(rows.length, done + size)',
    breaks: 'A portion ends when it has taken long.',
    promise: 'GROW-34',
    killedBy: { 'test/store/growing.test.ts': 'no portion begins in a transaction that takes long' },
  },
  {
    file: 'src/store/outbox/settle.ts',
    from: 'if (row.place !== null) yield* leaveLane',
    to: 'yield* leaveLane',
    promise: 'GROW-35',
    killedBy: { [MAINTENANCE]: 'the round trips of a forget do not grow' },
  },
  {
    file: 'tools/torture/outside.ts',
    from: 'return isStray && accepted.has(message)',
    to: 'return isStray && !accepted.has(message)',
    breaks: 'A stray beside its accepted send is a finding.',
    promise: 'GROW-36',
    killedBy: { 'test/torture/outside.test.ts': 'stays a stray beside its accepted send' },
  },
] satisfies Mutant[]
