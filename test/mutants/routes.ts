import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/routes/candidates.ts',
    from: '.sort((one, two) => one - two)',
    to: '',
    breaks: 'Routes are tried in the order in which they were registered.',
    killedBy: { 'test/journeys/routes.test.ts': 'are tried in the order of registration' },
  },
  {
    file: 'src/routes/compile.ts',
    from: 'if (first !== undefined) throw routedTwice(first, id)',
    to: '',
    breaks: 'Two routes that are one are refused at the start.',
    killedBy: {
      'test/journeys/routes.test.ts':
        'is refused at the start if two mounted routes have one name, by that name and with the mend',
    },
  },
  {
    file: 'src/routes/pattern.ts',
    from: 'expression.lastIndex = 0',
    to: '',
    breaks: 'A global expression misses no second message.',
    killedBy: { 'test/routes/pattern.test.ts': 'hears every time with a global or sticky expression' },
  },
  {
    file: 'src/routes/pattern.ts',
    from: 'text.length > SEEN_CHARACTERS ? text.slice(0, SEEN_CHARACTERS) : text',
    to: 'text',
    breaks: 'An expression sees so much of a text at most.',
    killedBy: { 'test/routes/pattern.test.ts': 'shows an expression at most 4,096 characters of a text' },
  },
  {
    file: 'src/routes/pattern.ts',
    from: "part !== '' && !part.includes(':')",
    to: "part !== ''",
    breaks: 'A part of an id holds no colon.',
    killedBy: { 'test/routes/pattern.test.ts': 'reads parts of an id by their names' },
  },
  {
    file: 'src/routes/pattern.ts',
    from: ".replace(ACCENTS, '')",
    to: '',
    breaks: 'Words are heard without their accents.',
    killedBy: { 'test/routes/pattern.test.ts': 'folds alike with accents and without' },
  },
  {
    file: 'src/routes/tap.ts',
    from: 'opener.now - opened.issuedAt <= expiresMs',
    to: 'opener.now - opened.issuedAt <= expiresMs * 2',
    breaks: 'An option expires after its time.',
    killedBy: {
      'test/journeys/taps.test.ts': 'is the service’s: a menu of last month is stale, one of last week is not',
    },
  },
  {
    file: 'src/routes/tap.ts',
    from: 'length > LONGEST_ID',
    to: 'length > 10 * LONGEST_ID',
    breaks: 'An option’s id is short enough for a row.',
    killedBy: {
      'test/routes/tap.test.ts': 'never passes the limit of a row once it is signed, in this century or the next',
    },
  },
  {
    file: 'src/routes/candidates.ts',
    from: `      if (before.has(route)) continue
`,
    to: '',
    breaks: 'A route takes a burst once.',
    killedBy: { 'test/testing/bursts.test.ts': 'next() goes on to the routes of the messages before' },
  },
  {
    file: 'src/routes/candidates.ts',
    from: 'of messages.toReversed())',
    to: 'of messages)',
    breaks: 'The last message of a burst chooses the route.',
    killedBy: { 'test/testing/bursts.test.ts': 'the last message chooses the route' },
  },
  {
    file: 'src/routes/table.ts',
    from: "if (alone && typeof what === 'function')",
    to: 'if (alone === undefined)',
    breaks: 'No function of the app runs before a message is stored.',
    killedBy: { 'test/testing/bursts.test.ts': 'a predicate is refused' },
  },
  {
    file: 'src/routes/event-names.ts',
    from: 'distance(name, known) <= 1 || ',
    to: '',
    breaks: 'A name one letter away from an event is refused.',
    killedBy: { 'test/routes/event-names.test.ts': 'message.status:reed' },
  },
  {
    file: 'src/routes/event-names.ts',
    from: ' || known.split(/[.:]/).includes(name)',
    to: '',
    breaks: "A part of an event's name is refused.",
    killedBy: { 'test/routes/event-names.test.ts': 'with the known one: order' },
  },
  {
    file: 'src/routes/event-names.ts',
    from: 'lettersOf(known) === letters',
    to: 'false',
    breaks: 'A name that differs from an event in case or dots is refused.',
    killedBy: {
      'test/routes/event-names.test.ts': 'that all but is a known one is refused, with the known one: Message.Status',
    },
  },
] satisfies Mutant[]
