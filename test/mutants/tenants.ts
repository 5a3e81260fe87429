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
  {
    file: 'src/store/inbox/ingest.ts',
    from: '!isHeldBack(tx.situation, number)',
    to: 'tx.situation.unread.size === 0',
    breaks: 'A message begins in the commit that stores it, though deliveries of another number are unread.',
    promise: 'GUARD-4',
    killedBy: {
      'test/store/sqlite.test.ts': 'begins a message in the commit that stores it, while deliveries of another',
    },
  },
  {
    file: 'src/store/work/settle.ts',
    from: '!isHeldBack(tx.situation, number)',
    to: 'tx.situation.unread.size === 0',
    breaks: 'A customer’s next message begins, though deliveries of another number are unread.',
    promise: 'GUARD-4',
    killedBy: { 'test/store/sqlite.test.ts': 'begins the next message of a customer, while deliveries of another' },
  },
  {
    file: 'src/store/rules/numbers.ts',
    from: 'numberNamesOf(subscription).includes(number)',
    to: 'subscription === number',
    breaks: 'An unread delivery of a shared subscription holds back each of its numbers.',
    promise: 'GUARD-4',
    killedBy: { 'test/store/sqlite.test.ts': 'holds back each number of a shared subscription' },
  },
  {
    file: 'src/store/inbox/unread.ts',
    from: 'return interleaved(lists)',
    to: 'return lists.flat()',
    breaks: 'Thousands of unread deliveries of one number delay those of another by one.',
    promise: 'GUARD-4',
    killedBy: { 'test/store/sqlite.test.ts': 'reads the oldest of each subscription in turns' },
  },
  {
    file: 'src/bot/work/dispatcher.ts',
    from: 'const asked = { ...request,',
    to: 'if (reading.size > 0) return { begun: [], nextAt: undefined }\n    const asked = { ...request,',
    breaks: 'Other numbers’ messages are handled while the deliveries of one are read.',
    promise: 'GUARD-4',
    killedBy: { 'test/bot/work/batch.test.ts': 'messages of another are handled, read before the answer' },
  },
] satisfies Mutant[]
