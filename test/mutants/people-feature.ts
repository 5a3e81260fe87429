import type { Mutant } from './driver/mutant.ts'

/** What the queue of people has of the lists of built-in features. */
export default [
  {
    file: 'src/features/people/store/hand-over.ts',
    from: "    yield* beginWait(asked, { why: 'handed_over', at: after.since, item: fence && Number(fence.of) }, now)\n",
    to: '',
    breaks: 'Who is handed over waits from that commit on.',
    promise: 'HOUSE-19',
    killedBy: { 'test/store/sqlite.test.ts': 'has a customer wait from the hand-over on' },
  },
  {
    file: 'src/features/people/store/hand-over.ts',
    from: '    yield* markAnswered(asked, { upto: Number(fence?.of), by: null }, now)\n',
    to: '',
    breaks: 'A report that a person has written elsewhere ends the wait.',
    promise: 'HOUSE-19',
    killedBy: { 'test/store/sqlite.test.ts': 'ends a wait by a report that a person has written elsewhere' },
  },
  {
    file: 'src/bot/work/handler-context.ts',
    from: 'runEffect(this.#running, () => method({ who: this.#who(), fence, deps })(...given))',
    to: 'call(...given)',
    breaks: 'What a feature’s method does is done before the attempt is settled, or the attempt fails.',
    promise: 'HOUSE-20',
    killedBy: { 'test/features/people/people-feature.test.ts': 'is an effect of the attempt' },
  },
  {
    file: 'src/features/people/store/queue.ts',
    from: '  const theirs = sql`number = ${number} AND customer = ${customer}`\n',
    to: '  const theirs = sql`number = ${number} AND customer = ${customer} AND customer NOT IN (SELECT customer FROM recipients)`\n',
    breaks: 'Who is forgotten is forgotten by each feature, whichever comes first.',
    promise: 'HOUSE-21',
    killedBy: { 'test/features/order-of-effects.test.ts': 'leave the same in either order' },
  },
  {
    file: 'src/store/database/engine.ts',
    from: '        await indexes()\n',
    to: '',
    breaks: 'A chat is read by an index, not by reading all messages.',
    promise: 'HOUSE-22',
    killedBy: { 'test/features/people/people-feature.test.ts': 'makes them at its first call' },
  },
] satisfies Mutant[]
