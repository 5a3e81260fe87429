import type { Mutant } from './driver/mutant.ts'

const FAILOVER = 'test/store/postgres/failover.test.ts'

/** What neighbours of repaired inputs broke. */
export default [
  {
    file: 'src/bot/inbox/payload/mapped-messages.ts',
    from: 'if (read(without) === text) return false',
    to: 'if (!JSON.stringify(body).includes(text)) return false',
    breaks: 'A list is found by the functions that read it, also if they return something else than what stands there.',
    promise: 'LOST-1',
    killedBy: { 'test/bot/inbox/payload/lists.test.ts': 'return something else than what stands there' },
  },
  {
    file: 'src/bot/inbox/payload/mapped-messages.ts',
    from: 'nodes.some((node) => read(isolated(node)) === text)',
    to: 'nodes.length > 0',
    breaks: 'A list whose elements a function joins is none of messages.',
    promise: 'LOST-1',
    killedBy: { 'test/bot/inbox/payload/lists.test.ts': 'is no list that a function searches, joins' },
  },
  {
    file: 'src/bot/inbox/payload/mapped-messages.ts',
    from: 'if (lists && lists.elements > 1)',
    to: 'if (lists && lists.elements > 99)',
    breaks: 'A delivery whose list has lists of messages is parked, and not passed over.',
    promise: 'LOST-1',
    killedBy: { 'test/bot/inbox/payload/lists.test.ts': 'parks the delivery if its elements are lists' },
  },
  {
    file: 'src/bot/inbox/payload/mapped-messages.ts',
    from: '(isShared.who && !isShared.id ? others[0] : undefined)',
    to: 'undefined',
    breaks: 'Two lists of messages of one customer are parked, and neither is passed over.',
    promise: 'LOST-1',
    killedBy: { 'test/bot/inbox/payload/lists.test.ts': 'parks the delivery if other paths lead to a second one' },
  },
  {
    file: 'src/bot/inbox/payload/mapped-messages.ts',
    from: '[...own, ...contentsBeside(mapping, own)]',
    to: 'own',
    breaks: 'A tap or a file in a list of texts is a message too.',
    promise: 'LOST-1',
    killedBy: { 'test/bot/inbox/payload/lists.test.ts': 'may have a message without a text' },
  },
  {
    file: 'src/store/maintenance/forget.ts',
    from: "if (row.customer === null && row.state === 'parked') left = true",
    to: '',
    breaks: 'A parked message that turns out to be of a forgotten customer is not handled.',
    promise: 'LOST-3',
    killedBy: { 'test/store/sqlite.test.ts': 'does not begin if it was parked because its customer could not be read' },
  },
  {
    file: 'src/bot/inbox/adapters/node.ts',
    from: "isSamePath(asked, health) && request.method !== 'POST'",
    to: 'isSamePath(asked, health)',
    breaks: 'serve() acknowledges no delivery at the path of probes.',
    promise: 'LOST-7',
    killedBy: { 'test/bot/inbox/adapters/elsewhere.test.ts': 'acknowledges no delivery at the path of probes' },
  },
  {
    file: 'src/store/postgres/pool.ts',
    from: 'heardSince.get(pool) ?? now',
    to: 'now',
    breaks: 'After a failover no connection is used again that the app had opened before the bot came.',
    promise: 'LOST-4',
    killedBy: { [FAILOVER]: 'connections that the app had opened before the bot came are not used again' },
  },
] satisfies Mutant[]
