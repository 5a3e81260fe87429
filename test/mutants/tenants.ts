import type { Mutant } from './driver/mutant.ts'

/** One tenant neither disturbs another nor reads what is theirs. */
export default [
  {
    file: 'src/bot/work/run-event.ts',
    from: 'upstreamId, number: item.number })',
    to: 'upstreamId })',
    breaks: 'The handlers of a number learn nothing of another number’s message, though a status names it.',
    promise: 'GUARD-3',
    killedBy: { 'test/journeys/tenants.test.ts': 'tells its handlers nothing of it, and takes nothing from it' },
  },
  {
    file: 'src/store/outbox/statuses.ts',
    from: 'upstreamId, number: status.number })',
    to: 'upstreamId })',
    breaks: 'A status of one number does not change a message of another.',
    promise: 'GUARD-3',
    killedBy: { 'test/store/sqlite.test.ts': 'lets no status of one number concern a send of another' },
  },
  {
    file: 'src/store/outbox/statuses.ts',
    from: 'told.filter((one) => numberNamesOf(one.number).includes(number))',
    to: 'told',
    breaks: 'A status whose message is not known yet becomes one of a message of its number alone.',
    promise: 'GUARD-3',
    killedBy: { 'test/store/sqlite.test.ts': 'lets no later send of a number adopt a status of another' },
  },
  {
    file: 'src/store/outbox/statuses.ts',
    from: 'WHERE upstream_id = ${upstreamId} AND number = ${number}`',
    to: 'WHERE upstream_id = ${upstreamId}`',
    breaks: 'A message learns its upstream id, though another number’s message has the same one.',
    promise: 'GUARD-3',
    killedBy: { 'test/store/sqlite.test.ts': 'does not let a status of one number name a message of another' },
  },
] satisfies Mutant[]
