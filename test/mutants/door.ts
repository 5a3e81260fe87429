import type { Mutant } from './driver/mutant.ts'

/** The door: paths, secrets, bodies, the end of a process that serves. */
export default [
  {
    file: 'src/bot/in/adapters/node.ts',
    from: 'if (isSamePath(asked, path)) return answer(',
    to: 'if (asked === path) return answer(',
    promise: 'LOST-7',
    breaks: 'serve() accepts deliveries with a final slash and in another case.',
    killedBy: {
      'test/bot/in/adapters/elsewhere.test.ts':
        'accepts deliveries at /webhooks/messages with and without a final slash, and in any case',
    },
  },
  {
    file: 'src/bot/in/receiver.ts',
    from: 'const genuine = await isGenuine(request).catch(() => false)',
    to: 'const genuine = (await isGenuine(request).catch(() => false)) && false',
    promise: 'LOST-7',
    breaks: 'A genuine delivery at another path is an error in the log, and counts towards the 20 failures.',
    killedBy: {
      'test/bot/in/adapters/elsewhere.test.ts':
        'tells of a genuine delivery at another path, with the right one, and counts it towards the 20 failures',
    },
  },
  {
    file: 'src/bot/in/receiver.ts',
    from: 'verify(signed, body.bytes, await own.live(), judgedAt).ok',
    to: 'true',
    promise: 'LOST-7',
    breaks: 'Nobody without the secret can raise the count of failures through another path.',
    killedBy: {
      'test/bot/in/adapters/elsewhere.test.ts':
        'mentions a forgery in one line below warnings, which counts for nothing',
    },
  },
  {
    file: 'src/bot/in/adapters/express.ts',
    from: "EventEmitter.prototype.on.call(request, 'data', see)",
    to: "request.on('data', see)",
    promise: 'LOST-7',
    breaks: 'The app reads the bodies of its own requests below the mount path.',
    killedBy: { 'test/bot/in/adapters/elsewhere.test.ts': 'leaves the body to the app' },
  },
  {
    file: 'src/bot/in/adapters/express.ts',
    from: 'if (!passed.has(request)) void',
    to: 'if (passed.has(request)) void',
    promise: 'LOST-7',
    breaks: 'A genuine delivery that passes the mounted bot is reported.',
    killedBy: {
      'test/bot/in/adapters/elsewhere.test.ts': 'mounted under a part of its path tells at once of a genuine delivery',
    },
  },
  {
    file: 'src/bot/in/adapters/node-http.ts',
    from: 'answeredWith: () => (response.headersSent ? response.statusCode : undefined)',
    to: 'answeredWith: () => (response.headersSent ? undefined : undefined)',
    promise: 'LOST-7',
    breaks: 'An app that answers deliveries itself, as Koa does by default, is reported at the first one.',
    killedBy: {
      'test/bot/in/adapters/elsewhere.test.ts':
        'is told of at the first delivery, and each counts towards the 20 failures',
    },
  },
  {
    file: 'src/bot/number-parts.ts',
    from: 'const queue = (await isReal().catch(() => false)) ? real : inDoubt',
    to: 'const queue = (await isReal().catch(() => false)) ? inDoubt : inDoubt',
    promise: 'GUARD-6',
    breaks: 'A number that has deliveries in the database does not queue behind made-up names.',
    killedBy: {
      'test/bot/number-source.test.ts':
        'keep no number out that has deliveries in the database, even right after a start',
      'test/bot/number-cache.test.ts': 'do not wait for those that may be',
    },
  },
  {
    file: 'src/bot/number-parts.ts',
    from: 'lookups.get(name) ?? turn(',
    to: 'turn(',
    promise: 'GUARD-6',
    breaks: 'Deliveries that wait for one name share one place in the queue, and one call.',
    killedBy: { 'test/bot/number-cache.test.ts': 'are looked up once, however many deliveries wait for the answer' },
  },
] satisfies Mutant[]
