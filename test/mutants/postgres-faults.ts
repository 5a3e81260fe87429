import type { Mutant } from './driver/mutant.ts'

/** PostgreSQL servers as they behave: failovers, refusals, neighbours in the same database. */
export default [
  {
    file: 'src/store/postgres/server-faults.ts',
    from: 'const CONNECTION = /^(08|25006|',
    to: 'const CONNECTION = /^(08|',
    breaks: 'A connection that may only read is replaced.',
    promise: 'LOST-4',
    killedBy: { 'test/store/postgres/failover.test.ts': 'connections that may only read are replaced' },
  },
  {
    file: 'src/store/postgres/pool.ts',
    from: 'openedIn.get(client)?.abort()',
    to: 'void client',
    breaks: 'No idle connection of the same time is used again.',
    promise: 'LOST-4',
    killedBy: { 'test/store/postgres/failover.test.ts': 'no other one of its time is used again' },
  },
  {
    file: 'src/store/store.ts',
    from: '{ now, goOn: false }).catch(doubt)\n    }',
    to: '{ now, goOn: false }).catch(() => {})\n    }',
    breaks: 'A refused release is noticed.',
    promise: 'LOST-8-RELEASE',
    killedBy: { 'test/store/postgres/refused-callers.test.ts': 'an item whose release the database refuses' },
  },
  {
    file: 'src/store/store.ts',
    from: 'settlement, { now, goOn: false }).catch(doubt)',
    to: 'settlement, { now, goOn: false }).catch(() => {})',
    breaks: 'A refused release of a send is noticed.',
    promise: 'LOST-8-RELEASE',
    killedBy: { 'test/store/postgres/refused-callers.test.ts': 'a send whose release the database refuses' },
  },
  {
    file: 'src/store/postgres/group-commit.ts',
    from: 'return !kept && isEnded',
    to: 'return isEnded',
    breaks: 'What must land is kept, however often the server ends its statement.',
    promise: 'LOST-10',
    killedBy: { 'test/store/postgres/group-commit.test.ts': 'what must land lands, however often' },
  },
  {
    file: 'src/bot/work/failure.ts',
    from: 'if (error instanceof Unstorable) return true',
    to: '',
    breaks: 'What cannot be stored for its own values ends as a dead letter.',
    promise: 'LOST-10',
    killedBy: {
      'test/bot/work/failure.test.ts': 'is given up at once for what the database refuses for its own values',
    },
  },
  {
    file: 'src/store/store.ts',
    from: '} catch {}\n',
    to: '} finally {\n    }\n',
    breaks: 'A commit stands, whatever those throw who watch it.',
    promise: 'LOST-10',
    killedBy: { 'test/store/postgres/group-commit.test.ts': 'a commit stands, whatever those throw' },
  },
  {
    file: 'src/store/postgres/notifications.ts',
    from: 'Object.hasOwn(WORKS, word)',
    to: "word !== ''",
    breaks: 'A notification of something unknown is ignored.',
    promise: 'GUARD-1',
    killedBy: { 'test/store/postgres/notifications.test.ts': 'whatever another role of the database' },
  },
  {
    file: 'src/store/store.ts',
    from: 'unharmed(listener)(work)',
    to: 'listener(work)',
    breaks: 'A listener that throws ends no process.',
    promise: 'GUARD-1',
    killedBy: { 'test/store/postgres/notifications.test.ts': 'a listener that throws keeps no other' },
  },
] satisfies Mutant[]
