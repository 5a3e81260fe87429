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
] satisfies Mutant[]
