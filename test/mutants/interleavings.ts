import type { Mutant } from './driver/mutant.ts'

/** What two processes over PostgreSQL do at one time, wherever one of them is held. */
export default [
  {
    file: 'src/store/postgres/transaction.ts',
    from: '.writing IN EXCLUSIVE MODE`',
    to: '.writing IN ROW SHARE MODE`',
    breaks: 'What begins and frees work, whosever it is, is alone.',
    promise: 'GROW-20',
    killedBy: {
      'test/store/postgres/interleaving/work.test.ts': 'two claims: no item is begun twice',
      'test/store/postgres/interleaving/maintenance.test.ts': 'two lists of templates: what one listed stays',
    },
  },
  {
    file: 'src/store/postgres/transaction.ts',
    from: "lockRows('FOR NO KEY UPDATE SKIP LOCKED')",
    to: "lockRows('')",
    breaks: 'A group has the rows of its customers until it commits.',
    promise: 'GROW-21',
    killedBy: {
      'test/store/postgres/interleaving/arrivals.test.ts': 'a settlement and a message: either the settlement begins',
      'test/store/postgres/interleaving/people.test.ts': 'two sessions from outside on top of one',
    },
  },
  {
    file: 'src/store/postgres/transaction.ts',
    from: 'if (isAlone || !isMissed) return',
    to: 'if (isAlone || isMissed || !isMissed) return',
    breaks: 'What belongs to a customer whom another group has goes back to the queue.',
    promise: 'GROW-21',
    killedBy: {
      'test/store/postgres/interleaving/arrivals.test.ts': 'a settlement and a message: either the settlement begins',
      'test/store/postgres/interleaving/people.test.ts': 'two sessions from outside on top of one',
    },
  },
  {
    file: 'src/features/people/store/chat.ts',
    from: 'return late ? sql`',
    to: 'return late && since.last < 0 ? sql`',
    promise: 'GROW-22',
    killedBy: { 'test/store/postgres/interleaving/arrivals.test.ts': 'a desk that watches, and two messages' },
  },
  {
    file: 'src/store/inbox/accept.ts',
    from: "!isOfOne && statuses.some(({ status }) => status === 'failed')",
    to: "items.some(({ lane }) => !lane) && statuses.some(({ status }) => status === 'failed')",
    promise: 'GROW-23',
    killedBy: {
      'test/store/postgres/interleaving/outgoing.test.ts': 'the answer to a send of a person, and its failure',
    },
  },
] satisfies Mutant[]
