import type { Mutant } from './driver/mutant.ts'

const SQLITE = 'test/store/sqlite.test.ts'

/** Items that are handled as one, and the feature that gathers them. */
export default [
  {
    file: 'src/store/work/items.ts',
    from: "SET state = 'running', attempts = attempts + 1, interrupted = 0",
    to: "SET state = 'running', interrupted = 0",
    breaks: 'All items of a bundle count the attempt.',
    promise: 'HOUSE-16',
    killedBy: { [SQLITE]: 'are gathered until their customer is quiet, and begin as one' },
  },
  {
    file: 'src/store/work/settle.ts',
    from: 'WHERE ${left.bundle === null ? sql`item = ${item}` : inBundle(left.bundle)}',
    to: 'WHERE item = ${item}',
    breaks: 'A bundle that failed is set aside whole.',
    promise: 'HOUSE-16',
    killedBy: { [SQLITE]: 'settle together, in whatever way, and none of them waits behind another' },
  },
  {
    file: 'src/store/work/items.ts',
    from: 'found.bundle === null ? sql`item = ${id}` : inBundle(found.bundle)',
    to: 'sql`item = ${id}`',
    breaks: 'A bundle is retried whole.',
    promise: 'HOUSE-16',
    killedBy: { [SQLITE]: 'are requeued whole if a person requeues one of their messages' },
  },
  {
    file: 'src/store/work/bundles.ts',
    from: "if (members.some(({ state, place }) => state !== 'stored' || place !== null)) return\n",
    to: '',
    breaks: 'A bundle that is ingested again begins when all its items are there.',
    promise: 'HOUSE-16',
    killedBy: { [SQLITE]: 'stay one with their cause if they were parked and are ingested again' },
  },
  {
    file: 'src/store/work/gathering.ts',
    from: 'GATHERER && (yield* GATHERER.sealWaiting(lane, now))',
    to: 'GATHERER?.sealWaiting === undefined',
    breaks: 'What was due while its lane was busy enters the lane once it is free.',
    promise: 'HOUSE-17',
    killedBy: { [SQLITE]: 'that came due while their lane was busy begin once it is free' },
  },
  {
    file: 'src/store/work/items.ts',
    from: "  if (GATHERER && kind !== 'send_failed') yield* GATHERER.seal(lane, now)\n",
    to: '',
    breaks: 'What was gathered goes before an item that the bot makes.',
    promise: 'HOUSE-17',
    killedBy: { [SQLITE]: 'has what was gathered before it sealed, so that an answer goes first' },
  },
  {
    file: 'src/features/people/store/take-and-give-back.ts',
    from: '  if (GATHERER) yield* GATHERER.seal(lane, o.now)\n',
    to: '',
    breaks: 'What is being gathered enters its lane with what a person gives back.',
    promise: 'HOUSE-17',
    killedBy: { [SQLITE]: 'wait no longer if a person gives back what was written before' },
  },
  {
    file: 'src/store/inbox/arrive.ts',
    from: "  if (GATHERER && gathers === 'flushes') yield* GATHERER.seal(lane, now)\n",
    to: '',
    breaks: 'What was gathered goes before a message that is handled alone.',
    promise: 'HOUSE-17',
    killedBy: { [SQLITE]: 'are sealed and begin at once if a message flushes them' },
  },
  {
    file: 'src/bot/options.ts',
    from: 'BUILT_IN.map(([name, { check }]) => [name, check])',
    to: 'BUILT_IN.map(([name]) => [name, () => {}])',
    breaks: 'A wrong option of a built-in feature is refused by name.',
    promise: 'HOUSE-18',
    killedBy: { 'test/features/bursts/burst.test.ts': 'a wrong option is refused by name' },
  },
  {
    file: 'src/bot/compose.ts',
    from: '    gathers: settings.gathersBy(routes),\n',
    to: '',
    breaks: 'Messages are gathered if the option says so.',
    promise: 'HOUSE-18',
    killedBy: {
      'test/features/bursts/bursts.test.ts': 'messages that a customer writes in a row are one turn of the handler',
    },
  },
  {
    file: 'src/bot/routes/table.ts',
    from: 'if (options.length > 0 && options.every(([name, alone]) => given[name] === alone)) return true',
    to: 'if (options.length > 0) return true',
    breaks: 'An option of a route has no other value than the one that says that it is handled alone.',
    promise: 'HOUSE-18',
    killedBy: { 'test/features/bursts/bursts.test.ts': 'a route opts out by words or a kind' },
  },
] satisfies Mutant[]
