import type { Mutant } from './driver/mutant.ts'

const SQLITE = 'test/store/sqlite.test.ts'

/** What a feature that makes the bot silent has of the lists, and what the core asks it. */
export default [
  {
    file: 'src/store/maintenance/recustomer.ts',
    from: '    ...SILENCER?.merged(by),\n',
    to: '',
    breaks: 'Of two rows of one customer, the later silence stays.',
    promise: 'HOUSE-23',
    killedBy: { [SQLITE]: 'keeps the later take-over, the newer session and the spelling of the last message' },
  },
  {
    file: 'src/store/maintenance/prune.ts',
    from: 'UPDATE ${customers} SET ${NO_SILENCE} WHERE ${these} AND ${SILENCER.isOld(before)}',
    to: 'UPDATE ${customers} SET ${NO_SILENCE} WHERE false AND ${SILENCER.isOld(before)}',
    breaks: 'A silence that ended long ago is pruned, although its customer stays.',
    promise: 'HOUSE-23',
    killedBy: { [SQLITE]: 'goes from the row of a customer once it ended long ago' },
  },
  {
    file: 'src/store/maintenance/prune.ts',
    from: 'sql`((${SILENCER.isBlank}) OR ${SILENCER.isOld(before)})`',
    to: 'sql`(true OR ${SILENCER.isOld(before)})`',
    breaks: 'A row that has only a silence stays until that ended long ago.',
    promise: 'HOUSE-23',
    killedBy: { [SQLITE]: 'goes from the row of a customer once it ended long ago' },
  },
  {
    file: 'src/store/database/customer-tables.ts',
    from: "raw(SILENCER?.until ?? '0')",
    to: "raw('0')",
    breaks: 'A timer waits for the end of a silence.',
    promise: 'HOUSE-24',
    killedBy: { [SQLITE]: 'waits for the end of a take-over if it is a sleep’s or a window’s' },
  },
  {
    file: 'src/store/outbox/send-rules.ts',
    from: "return { state: 'skipped', ...silence.why }",
    to: "return { state: 'ready' }",
    breaks: 'A reply in a silence is skipped, with the feature’s reason.',
    promise: 'HOUSE-24',
    killedBy: { [SQLITE]: 'skips a reply while its customer is taken over, and sends what is no reply' },
  },
  {
    file: 'src/bot/routes/compile.ts',
    from: 'const inside = inSilence ?? entry.inSilence',
    to: 'const inside = entry.inSilence',
    breaks: 'Routes that are mounted within those for silences run only in a silence too.',
    promise: 'HOUSE-24',
    killedBy: { 'test/journeys/takeover.test.ts': 'has routes of another module, which do not run at other times' },
  },
  {
    file: 'src/bot/work/customer-handle.ts',
    from: 'effect(async () => method(',
    to: '(async (run) => run())(async () => method(',
    breaks: 'A method that a feature adds to a customer’s handle is an effect of the attempt that calls it.',
    promise: 'HOUSE-25',
    killedBy: { 'test/features/people/people-feature.test.ts': 'adds to the handle of a customer is an effect' },
  },
  {
    file: 'src/store/inbox/arrive.ts',
    from: 'begin: () => guarded(asked, beginSilence(asked as never))',
    to: 'begin: () => nothing()',
    breaks: 'The silence that a message asks for begins in the commit that reads the message.',
    promise: 'HOUSE-26',
    killedBy: { [SQLITE]: 'takes over in the ingest of the message that asks for it, before any handler runs' },
  },
  {
    file: 'src/base/value.ts',
    from: 'if (others.length > 0)',
    to: 'if (others.length > 9)',
    promise: 'HOUSE-27',
    killedBy: { 'test/base/value.test.ts': 'refuses a second one, and names both' },
  },
] satisfies Mutant[]
