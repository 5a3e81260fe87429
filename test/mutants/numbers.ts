import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/numbers/number-cache.ts',
    from: 'if (current) return current',
    to: '',
    breaks: 'However many deliveries come at once, a number is asked for once.',
    killedBy: {
      'test/numbers/number-cache.test.ts': 'of which a thousand deliveries come at once is asked for once',
    },
  },
  {
    file: 'src/numbers/number-cache.ts',
    from: 'now() - one.at < o.keptForMs ? one : undefined',
    to: 'one',
    breaks: 'A number of which nothing was heard for keptFor is not used any more.',
    killedBy: {
      'test/numbers/number-cache.test.ts': 'is not used any more once nothing was heard of it for a day',
    },
  },
  {
    file: 'src/numbers/number-cache.ts',
    from: 'if (at < Math.max(before?.at ?? at, without.get(name)?.at ?? at)) return',
    to: '',
    breaks: 'An answer that comes late does not bring an old secret back.',
    killedBy: {
      'test/numbers/number-cache.test.ts':
        'cannot bring an old secret back by an answer that a later question has overtaken',
    },
  },
  {
    file: 'src/numbers/number-cache.ts',
    from: ' && now() - one.doubtedAt >= atMostEvery',
    to: '',
    breaks: 'A forger makes the app’s database answer at most every 30 s.',
    killedBy: {
      'test/numbers/number-cache.test.ts': 'is asked for at once, and by the same doubt not again for thirty seconds',
    },
  },
  {
    file: 'src/numbers/number-cache.ts',
    from: `      // A question that is open may be answered by what was true before the doubt.
      await asking.get(name)?.catch(() => {})`,
    to: '',
    breaks: 'A secret that was changed while a question was open is believed.',
    killedBy: {
      'test/numbers/number-cache.test.ts': 'is asked for once more if a question from before the doubt is still open',
    },
  },
  {
    file: 'src/numbers/number-cache.ts',
    from: ' || now() < one.againAt',
    to: '',
    breaks: 'A source that is down is not asked at each delivery of a number that is known.',
    killedBy: { 'test/numbers/number-cache.test.ts': 'goes on as it was last known while the source is down' },
  },
  {
    file: 'src/numbers/number-cache.ts',
    from: 'const IDLE_AFTER = 2',
    to: 'const IDLE_AFTER = Number.POSITIVE_INFINITY',
    breaks: 'A secret that was taken away does not live on until the number’s next use.',
    killedBy: { 'test/numbers/number-cache.test.ts': 'that nobody used for twice that time is asked for first' },
  },
  {
    file: 'src/numbers/number-cache.ts',
    from: ' || one.againAt > 0) return one.number',
    to: ') return one.number',
    breaks: 'Nobody waits for a source that has failed.',
    killedBy: { 'test/numbers/number-cache.test.ts': 'that nobody used for long waits for a slow source a second' },
  },
  {
    file: 'src/numbers/number-cache.ts',
    from: 'if (now() - at < o.keptForMs) return\n',
    to: 'return\n',
    breaks: 'The secrets of numbers that nobody uses do not stay in memory.',
    killedBy: { 'test/numbers/number-cache.test.ts': 'that nobody uses for a day does not stay in memory' },
  },
  {
    file: 'src/numbers/number-cache.ts',
    from: 'if (now() - toldAt < TELL_EVERY_MS) return',
    to: '',
    breaks: 'A source that is down writes one line a minute.',
    killedBy: { 'test/numbers/number-cache.test.ts': 'is told of once a minute' },
  },
  {
    file: 'src/numbers/unavailable.ts',
    from: 'cause.name : typeof cause',
    to: 'cause.message : typeof cause',
    breaks: 'The message of an error of the app is not shown: it may hold a secret.',
    killedBy: { 'test/numbers/number-cache.test.ts': 'shows nothing of its error’s message' },
  },
  {
    file: 'src/numbers/strangers.ts',
    from: 'inVainNow() >= IN_VAIN_A_SECOND',
    to: 'false',
    breaks: 'Names that are made up cost a bounded number of questions a second.',
    killedBy: { 'test/numbers/strangers.test.ts': 'cost a hundred questions a second at most' },
  },
  {
    file: 'src/numbers/strangers.ts',
    from: 'if (asked < AT_ONCE) asked++',
    to: 'if (true) asked++',
    breaks: 'A start with thousands of numbers asks for a few at once.',
    killedBy: { 'test/numbers/strangers.test.ts': 'asks for thirty-two at once' },
  },
] satisfies Mutant[]
