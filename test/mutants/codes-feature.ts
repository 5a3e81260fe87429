import type { Mutant } from './driver/mutant.ts'

/** One-time codes, a feature whose sends are in the memory of one process alone. */
export default [
  {
    file: 'src/store/work/processes.ts',
    from: '    for (const end of ENDED) yield* end(tx, id, lease)\n',
    to: '',
    breaks:
      'A code that was only in the memory of a dead process is lost in the commit that declares that process dead.',
    promise: 'HOUSE-10',
    killedBy: {
      'test/store/sqlite.test.ts':
        'is lost when its process is gone, and a process that comes back late settles nothing',
    },
  },
  {
    file: 'src/features/codes/store/lost-codes.ts',
    from: 'if (tells)',
    to: 'if (false)',
    breaks: 'A handler of failed sends hears of a lost code.',
    promise: 'HOUSE-10',
    killedBy: { 'test/journeys/failed-sends.test.ts': 'is reported if it was a one-time code whose process is gone' },
  },
  {
    file: 'src/bot/built-in-parts.ts',
    from: 'flatMap(({ sends = {} }) => Object.entries(sends))',
    to: 'flatMap(({ sends = {} }) => Object.entries(sends).slice(1))',
    promise: 'HOUSE-11',
    killedBy: { 'test/journeys/redaction.test.ts': 'keeps codes, token, secret, texts and phones out of log' },
  },
  {
    file: 'src/bot/outbox/send-worker.ts',
    from: 'this.lanes.track(send.then(end, end))',
    to: 'void send.then(end, end)',
    promise: 'HOUSE-12',
    killedBy: { 'test/features/codes/one-time-codes.test.ts': 'is under way in no lane, and a stop waits for it' },
  },
  {
    file: 'src/kit/testing/in-flight.ts',
    from: 'this.#sends.size + this.#outside() > 0',
    to: 'this.#sends.size > 0',
    breaks: 'A turn of a scenario lasts until nothing is under way, in no lane either.',
    promise: 'HOUSE-12',
    killedBy: { 'test/kit/testing/turns.test.ts': 'lasts until a code of the app, which waits in no lane' },
  },
] satisfies Mutant[]
