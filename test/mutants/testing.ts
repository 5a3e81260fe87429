import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/testing/service.ts',
    from: 'deps.payloads === undefined ? undefined : lockAtHand()',
    to: 'undefined',
    breaks: 'A test with recorded payloads reads them by the lock, as production does.',
    killedBy: { 'test/testing/payloads.test.ts': 'is read by the lock in the working directory, and only then' },
  },
  {
    file: 'src/testing/failures.ts',
    from: "parked: note('is parked, since a fact is missing'),",
    to: '',
    breaks: 'A turn whose delivery is parked fails.',
    killedBy: {
      'test/testing/failures.test.ts': 'rejects an event that is parked, and names the fact that is missing',
    },
  },
  {
    file: 'src/testing/matchers.ts',
    from: 'reply.text.search(expected) !== -1',
    to: 'expected.test(reply.text)',
    breaks: 'An expression with the flag g matches each time.',
    killedBy: { 'test/testing/matchers.test.ts': 'toHaveReplied takes a whole text, an expression' },
  },
  {
    file: 'src/testing/play/compare.ts',
    from: 'Math.max(expected.length, sent.length)',
    to: 'expected.length',
    breaks: 'A message too many fails a play.',
    killedBy: { 'test/testing/play.test.ts': 'an additional message fails the step too' },
  },
  {
    file: 'src/testing/play/compare.ts',
    from: 'got.refused?.code === refused &&',
    to: '',
    breaks: 'A refused send is no reply that came.',
    killedBy: { 'test/testing/play.test.ts': 'a refusal that was not expected fails the step too' },
  },
  {
    file: 'src/testing/service.ts',
    from: "if (template.category === 'AUTHENTICATION' && 'body' in template)",
    to: 'if (false)',
    breaks: 'A scenario refuses a text for a template of one-time codes.',
    killedBy: {
      'test/testing/turns.test.ts': 'a template for one-time codes has no body of its own: that is refused by name',
    },
  },
  {
    file: 'src/testing/turn.ts',
    from: 'sent: outgoing.map(sentView),',
    to: 'sent: replies as never,',
    breaks: 'A turn has all that went out.',
    killedBy: {
      'test/testing/play.test.ts': 'plays every kind of step: texts, taps by id and title, media, events, time',
    },
  },
  {
    file: 'src/testing/turn.ts',
    from: "fails: '999000000602'",
    to: "fails: '999000000603'",
    breaks: 'A handset that always fails has a name.',
    killedBy: {
      'test/testing/handsets.test.ts': 'the handset that is called fails accepts, and then its message is failed',
    },
  },
  {
    file: 'src/testing/turn.ts',
    from: 'setHandset({ blocked: true })',
    to: 'setHandset({})',
    breaks: 'A customer can block the business.',
    killedBy: { 'test/testing/handsets.test.ts': 'a handset that blocks gets nothing, until it blocks no more' },
  },
  {
    file: 'src/testing/turn.ts',
    from: 'setHandset({ online: false })',
    to: 'setHandset({})',
    breaks: 'A handset can go offline.',
    killedBy: { 'test/testing/handsets.test.ts': 'a handset that is offline gets what waited when it comes back' },
  },
] satisfies Mutant[]
