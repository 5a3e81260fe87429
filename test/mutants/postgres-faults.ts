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
] satisfies Mutant[]
