import type { Mutant } from './driver/mutant.ts'

/** What a built-in feature does within the store's own operations. */
export default [
  {
    file: 'src/store/maintenance/forget.ts',
    from: '  for (const { forgetCustomer } of EFFECTS) if (forgetCustomer) yield* forgetCustomer(who, now)\n',
    to: '',
    breaks: 'Who is forgotten is forgotten as a recipient too.',
    promise: 'HOUSE-8',
    killedBy: { 'test/store/sqlite.test.ts': 'sends nothing to a customer who was forgotten, and leaves no digits' },
  },
  {
    file: 'src/store/outbox/open.ts',
    from: '  if (send.onlyIf && !(yield* send.onlyIf())) return undefined\n',
    to: '',
    breaks: 'A message of an announcement is recorded only while that runs and its customer waits.',
    promise: 'HOUSE-8',
    killedBy: { 'test/store/sqlite.test.ts': 'records a message only while it runs and its customer waits' },
  },
  {
    file: 'src/store/outbox/open.ts',
    from: "known?.state === 'cancelled' && known.reason === null",
    to: 'false',
    breaks: 'A message of an announcement that a person has cancelled is not opened again.',
    promise: 'HOUSE-8',
    killedBy: { 'test/store/sqlite.test.ts': 'and none again that a person has cancelled' },
  },
  {
    file: 'src/store/maintenance/prune.ts',
    from: 'if (prune && (yield* prune(idsBefore, limit))) return true',
    to: 'return false',
    breaks: 'An announcement is pruned with its recipients once it ended long ago.',
    promise: 'HOUSE-8',
    killedBy: { 'test/store/sqlite.test.ts': 'is pruned with its recipients once it ended long ago' },
  },
  {
    file: 'src/store/postgres/copy-target.ts',
    from: 'Object.values(TABLES).flatMap((one) => countedColumnOf(one) ?? [])',
    to: "[{ table: 'processes', column: 'id' }]",
    promise: 'HOUSE-9',
    killedBy: { 'test/kit/cli/postgres-copy.test.ts': 'what a person notes next gets its own number' },
  },
] satisfies Mutant[]
