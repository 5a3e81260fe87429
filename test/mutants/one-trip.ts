import type { Mutant } from './driver/mutant.ts'

/** Groups of two round trips, and what is asked at the last moment. */
export default [
  {
    file: 'src/store/outbox/claim.ts',
    from: "AND (marketing = 0 OR state = 'attempting')",
    to: "AND (marketing <> 7 OR state = 'attempting')",
    breaks: 'Marketing asks again before its first byte whether its customer has opted out.',
    promise: 'GROW-40',
    killedBy: {
      'test/bot/outbox/begin.test.ts': 'is skipped if it is marketing, and its customer opts out',
      'test/store/sqlite.test.ts': 'between the claim of marketing and its first byte',
    },
  },
  {
    file: 'src/store/outbox/claim.ts',
    from: "AND (marketing = 0 OR state = 'attempting')",
    to: 'AND marketing = 0',
    breaks: 'A message that may have arrived goes out again under its key, whatever the customer has said since.',
    promise: 'GROW-40',
    killedBy: { 'test/store/sqlite.test.ts': 'between the claim of marketing and its first byte' },
  },
  {
    file: 'src/store/postgres/run-group.ts',
    from: 'isNew ? query.asNew()',
    to: 'isNew ? query',
    breaks: 'An insert whose answer is not waited for fails if its row is there.',
    promise: 'GROW-37',
    killedBy: { 'test/store/postgres/unwaited.test.ts': 'is repeated if a delivery or a message in it was known' },
  },
  {
    file: 'src/store/postgres/run-group.ts',
    from: 'nothingBefore && member.isRepeated !== true &&',
    to: 'nothingBefore &&',
    breaks: 'What was taken for new and was not is asked about when it is repeated.',
    promise: 'GROW-37',
    killedBy: { 'test/store/postgres/unwaited.test.ts': 'is repeated if a delivery or a message in it was known' },
  },
  {
    file: 'src/store/postgres/transaction.ts',
    from: `const [, , , free, first, answer] = await connection.run(
      isAlone ? beginLocked(LOCK_WRITER, aloneMs) : BEGIN_ORDINARY,
      settings,
      unknown.map(([, number, customer]) => KNOW({ number, customer })),
      asked.map(([, number, customer]) => lock({ number, customer })),
      lanes.length > 0 ? { text: FIRSTS, values: [lanes] } : [],
`,
    to: `const [, , first, , free, answer] = await connection.run(
      isAlone ? beginLocked(LOCK_WRITER, aloneMs) : BEGIN_ORDINARY,
      settings,
      lanes.length > 0 ? { text: FIRSTS, values: [lanes] } : [],
      unknown.map(([, number, customer]) => KNOW({ number, customer })),
      asked.map(([, number, customer]) => lock({ number, customer })),
`,
    promise: 'GROW-38',
    killedBy: { 'test/store/postgres/unwaited.test.ts': 'reads its lanes once it has their customers' },
  },
  {
    file: 'src/store/postgres/run-group.ts',
    from: 'begin(one.nothingBefore)',
    to: 'begin(true)',
    promise: 'GROW-38',
    killedBy: { 'test/store/postgres/unwaited.test.ts': 'uses what it knows of a lane and a customer once' },
  },
  {
    file: 'src/store/work/settle.ts',
    from: 'first.owner === owner && first.run === run &&',
    to: '',
    breaks: 'Who lost an item ends nothing.',
    promise: 'GROW-39',
    killedBy: { 'test/store/postgres/unwaited.test.ts': 'ends nothing for a process whose item was freed' },
  },
  {
    file: 'src/store/work/settle.ts',
    from: '(mine ? mine.state === ',
    to: '(mine ? mine.state !== ',
    breaks: 'An item whose customer was forgotten ends with nothing of its handler.',
    promise: 'GROW-39',
    killedBy: { 'test/store/postgres/contract.test.ts': 'refuses each effect of what runs, and erases it' },
  },
] satisfies Mutant[]
