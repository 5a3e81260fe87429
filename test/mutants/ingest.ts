import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/ingest/gathering.ts',
    from: 'const lastAt = Math.min(at, receivedAt)',
    to: 'const lastAt = receivedAt',
    breaks: 'A message that is delivered late opens no fresh window.',
    killedBy: {
      'test/journeys/window.test.ts': 'is not opened anew by a message of twenty hours ago that is delivered now',
    },
  },
  {
    file: 'src/ingest/gathering.ts',
    from: 'const lastAt = Math.min(at, receivedAt)',
    to: 'const lastAt = at',
    breaks: 'A payload time in the future counts as the time of receipt.',
    killedBy: {
      'test/journeys/window.test.ts':
        'is open for no more than a day after the receipt, whatever time the payload claims',
    },
  },
  {
    file: 'src/ingest/gathering.ts',
    from: "if (kind !== 'message' || customer === undefined || at === undefined) return undefined",
    to: 'if (customer === undefined || at === undefined) return undefined',
    breaks: 'Only a message of the customer opens the window, and no status.',
    killedBy: { 'test/journeys/window.test.ts': 'is not opened by order.paid' },
  },
  {
    file: 'src/ingest/ingest.ts',
    from: 'if (renamed) return quarantined(renamed, eventName)',
    to: '',
    breaks: 'A body that names another event than its header is not handled.',
    killedBy: {
      'test/journeys/identity.test.ts':
        'keeps a body that names another event than its header: nothing is handled under a name that is not signed',
    },
  },
  {
    file: 'src/ingest/gathering.ts',
    from: "word?.length === 3 && word.toUpperCase() === 'BOT'",
    to: "word?.toUpperCase().startsWith('BOT') === true",
    breaks: 'BOT alone asks for the agent, and no word that begins with it.',
    killedBy: { 'test/ingest/ingest.test.ts': 'is asked for by BOT alone, in any case and with space around it' },
  },
  {
    file: 'src/ingest/ingest.ts',
    from: 'if (mapping && holdsFunction(mapping)) return undefined',
    to: '',
    breaks: 'No function of the app runs before the answer.',
    killedBy: {
      'test/ingest/read-arrival.test.ts': 'runs no function of the app’s mapping before the answer, and reads paths',
    },
  },
  {
    file: 'src/ingest/ingest.ts',
    from: 'body.byteLength > LARGEST_BODY_READ_AT_ONCE',
    to: 'body.byteLength > 1e9',
    breaks: 'A large body is read after the answer.',
    killedBy: {
      'test/ingest/read-arrival.test.ts':
        'leaves for later what is stale, has unclear headers, or is longer than 64 KiB',
    },
  },
  {
    file: 'src/ingest/gathering.ts',
    from: "!sure.includes('customer') || !sure.includes('at')",
    to: "!sure.includes('customer')",
    breaks: 'A time without a zone moves no window.',
    killedBy: {
      'test/ingest/ingest.test.ts':
        'is moved neither by a time without a zone nor by one of two customers that differ: a closed window is never opened by a guess',
    },
  },
  {
    file: 'src/ingest/gathering.ts',
    from: "!sure.includes('customer') || !sure.includes('at')",
    to: "!sure.includes('at')",
    breaks: 'A guessed customer gets no open window.',
    killedBy: {
      'test/ingest/ingest.test.ts':
        'is moved neither by a time without a zone nor by one of two customers that differ: a closed window is never opened by a guess',
    },
  },
  {
    file: 'src/ingest/gathering.ts',
    from: `if (!sure.includes('customer')) return undefined
  const since`,
    to: 'const since',
    breaks: 'No customer is muted whom the payload does not name for certain.',
    killedBy: {
      'test/ingest/ingest.test.ts':
        'mutes no customer whom the payload does not name for certain: a guess would silence a stranger',
    },
  },
  {
    file: 'src/ingest/ingest.ts',
    from: 'views.length > LARGEST_BATCH',
    to: 'views.length > 10 * LARGEST_BATCH',
    breaks: 'A batch of more than 10,000 messages is kept, and holds up nothing behind it.',
    killedBy: {
      'test/ingest/ingest.test.ts':
        'keeps a batch of more than 10,000 messages whole and without items: it would hold up what comes behind it',
    },
  },
  {
    file: 'src/ingest/read-item.ts',
    from: 'const bound = `${values.customer',
    to: "const bound = `${''",
    breaks: 'An identity is bound to its customer.',
    killedBy: { 'test/ingest/ingest.test.ts': 'binds the identity of a message to its customer and its time' },
  },
  {
    file: 'src/ingest/read-item.ts',
    from: 'if (number.unclear)',
    to: 'if (false)',
    breaks: 'A delivery that names none of the numbers of its secret is parked.',
    killedBy: {
      'test/journeys/identity.test.ts': 'are told apart by the payload if they share a secret, and only then',
    },
  },
  {
    file: 'src/ingest/read-item.ts',
    from: 'values.numberId !== own && sure',
    to: 'values.numberId === own && sure',
    breaks: 'A payload that names another number is parked.',
    killedBy: { 'test/journeys/identity.test.ts': 'park what names another number than the one whose secret matched' },
  },
  {
    file: 'src/ingest/burst-part.ts',
    from: 'values.tapped !== undefined || ',
    to: '',
    breaks: 'A tap is handled at once.',
    killedBy: { 'test/ingest/ingest.test.ts': 'gathers messages, and no tap' },
  },
  {
    file: 'src/ingest/burst-part.ts',
    from: "!sure.includes('customer') || ",
    to: '',
    breaks: 'What a stranger may have written is never taken for the words of a customer.',
    killedBy: { 'test/ingest/ingest.test.ts': 'gathers messages, and no tap' },
  },
] satisfies Mutant[]
