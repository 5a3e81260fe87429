import type { Mutant } from './driver/mutant.ts'

const SQLITE = 'test/store/sqlite.test.ts'

/** What conversations get and do through the lists of built-in features. */
export default [
  {
    file: 'src/store/database/effects-of-features.ts',
    from: '    if (settled && theirs) yield* settled(item, theirs as never, now)\n',
    to: '',
    breaks: 'What a script did is stored with the settlement of its item.',
    promise: 'HOUSE-13',
    killedBy: { [SQLITE]: 'is written with the settlement of its item' },
  },
  {
    file: 'src/features/people/store/hand-over.ts',
    from: '  yield* eachDoes(({ prolong }) => prolong?.(who, prolongedMs))\n',
    to: '',
    breaks: 'A question stays open for as long as its customer is taken over.',
    promise: 'HOUSE-13',
    killedBy: { [SQLITE]: 'keeps a question open for as long as its customer is taken over' },
  },
  {
    file: 'src/store/maintenance/forget.ts',
    from: '    ...EFFECTS.flatMap(({ removed }) => removed?.(theirs) ?? []),\n',
    to: '',
    breaks: 'A conversation is forgotten with its customer.',
    promise: 'HOUSE-13',
    killedBy: { [SQLITE]: 'is forgotten with its customer, journal and all' },
  },
  {
    file: 'src/store/maintenance/prune.ts',
    from: '  ...SEARCHED_FEATURES,\n',
    to: '',
    breaks: 'A conversation goes a retention after its end.',
    promise: 'HOUSE-13',
    killedBy: { [SQLITE]: 'goes a retention after its end with journal and sends' },
  },
  {
    file: 'src/store/maintenance/recustomer.ts',
    from: "typeof id === 'string' && (yield* findOpened(id)) ? id",
    to: "typeof id === 'string' ? id",
    breaks: 'A customer who gets another spelling has the conversation that is still open.',
    promise: 'HOUSE-13',
    killedBy: { [SQLITE]: 'continues the newest conversation of three spellings' },
  },
  {
    file: 'src/bot/work/run-message.ts',
    from: 'asks ? await running.deps.entered?.asking(running) : undefined',
    to: 'undefined as OpenRoute | undefined',
    promise: 'HOUSE-14',
    killedBy: { 'test/journeys/conversations.test.ts': 'continues in another process, whenever the last one ended' },
  },
  {
    file: 'src/bot/work/dispatcher.ts',
    from: 'if (entered?.kinds.has(running.item.kind)) {',
    to: 'if (entered?.kinds.has(running.item.kind) === undefined) {',
    breaks: 'Who enters a conversation from outside is asked its first question.',
    promise: 'HOUSE-14',
    killedBy: { 'test/journeys/conversations.test.ts': 'is entered with its input from outside' },
  },
  {
    file: 'src/admin/features.ts',
    from: 'async (part) => part.ofCustomer?.(who, deps)',
    to: 'async () => ({})',
    breaks: 'The view of a customer shows their open conversation.',
    promise: 'HOUSE-15',
    killedBy: { 'test/admin/answers.test.ts': 'list open conversations, and end one' },
  },
] satisfies Mutant[]
