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
      'test/store/postgres/interleaving/upkeep.test.ts': 'two lists of templates: what one listed stays',
    },
  },
] satisfies Mutant[]
