import type { Mutant } from './driver/mutant.ts'

const ELSEWHERE = 'test/bot/inbox/adapters/elsewhere.test.ts'
const STRANGERS = 'test/bot/inbox/strangers.test.ts'
const SERVE = 'test/bot/inbox/adapters/serve.test.ts'

/** The door: paths, secrets, bodies, the end of a process that serves. */
export default [
  {
    file: 'src/bot/inbox/adapters/node.ts',
    from: 'if (isSamePath(asked, path)) return answer(',
    to: 'if (asked === path) return answer(',
    promise: 'LOST-7',
    breaks: 'serve() accepts deliveries with a final slash and in another case.',
    killedBy: {
      [ELSEWHERE]: 'accepts deliveries at /webhooks/messages with and without a final slash, and in any case',
    },
  },
  {
    file: 'src/bot/inbox/receiver.ts',
    from: 'report.elsewhere(request, { material, status })',
    to: 'report.elsewhere(request, { material: material && undefined, status })',
    promise: 'LOST-7',
    breaks: 'A genuine delivery at another path is an error in the log, and counts towards the 20 failures.',
    killedBy: { [ELSEWHERE]: 'tells of a genuine delivery at another path, with the right one' },
  },
  {
    file: 'src/bot/inbox/receiver.ts',
    from: 'return verdict.ok ? { ...verdict, digest: digestOf(body.bytes), ageMs: ageOf(verdict, judgedAt) } : undefined',
    to: 'void verdict\n      return { timestamp: judgedAt / 1_000, digest: digestOf(body.bytes), ageMs: 0 }',
    promise: 'LOST-7',
    breaks: 'Nobody without the secret can raise the count of failures through another path.',
    killedBy: { [ELSEWHERE]: 'mentions a forgery in one line below warnings, which counts for nothing' },
  },
  {
    file: 'src/bot/inbox/adapters/express.ts',
    from: "EventEmitter.prototype.on.call(request, 'data', see)",
    to: "request.on('data', see)",
    promise: 'LOST-7',
    breaks: 'The app reads the bodies of the requests that belong to it.',
    killedBy: { [ELSEWHERE]: 'leaves the body to the app' },
  },
  {
    file: 'src/bot/inbox/adapters/express.ts',
    from: 'if (!passed.has(request)) void',
    to: 'if (passed.has(request)) void',
    promise: 'LOST-7',
    breaks: 'A genuine delivery that passes the mounted bot is reported.',
    killedBy: { [ELSEWHERE]: 'mounted under a part of its path tells at once of a genuine delivery' },
  },
  {
    file: 'src/bot/inbox/http.ts',
    from: 'answeredWith: () => (response.headersSent ? response.statusCode : undefined)',
    to: 'answeredWith: () => (response.headersSent ? undefined : undefined)',
    promise: 'LOST-7',
    breaks: 'An app that answers deliveries itself, as Koa does by default, is reported at the first one.',
    killedBy: { [ELSEWHERE]: 'is reported at the first delivery, and each counts towards the 20 failures' },
  },
  {
    file: 'src/bot/number-lookup.ts',
    from: 'const queue = (await isInUse().catch(() => false)) ? this.#inUse : this.#maybeInvented',
    to: 'const queue = (await isInUse().catch(() => false)) ? this.#maybeInvented : this.#maybeInvented',
    promise: 'GUARD-6',
    breaks: 'A number that has deliveries in the database does not queue behind made-up names.',
    killedBy: {
      'test/bot/number-source.test.ts':
        'keep no number out that has deliveries in the database, even right after a start',
      'test/bot/number-cache.test.ts': 'do not wait for those that may be',
    },
  },
  {
    file: 'src/bot/number-lookup.ts',
    from: 'this.#lookups.get(name) ?? turn(',
    to: 'turn(',
    promise: 'GUARD-6',
    breaks: 'Deliveries that wait for one name share one place in the queue, and one call.',
    killedBy: { 'test/bot/number-cache.test.ts': 'are looked up once, however many deliveries wait for the answer' },
  },
  {
    file: 'src/bot/inbox/signature.ts',
    from: 'if (nth % atOnce === 0) await ownTurn()',
    to: 'if (nth === 0) await ownTurn()',
    promise: 'GUARD-5',
    breaks: 'A large body is checked with many secrets in turns of the event loop.',
    killedBy: { [STRANGERS]: 'leaves turns to other work while its large body is checked with every secret' },
  },
  {
    file: 'src/bot/inbox/signature.ts',
    from: 'lastTurn = lastTurn.then(afterThisTurn)',
    to: 'lastTurn = afterThisTurn()',
    promise: 'GUARD-5',
    breaks: 'Several large forgeries at once hold up a turn no longer than one.',
    killedBy: { [STRANGERS]: 'and so do several together' },
  },
  {
    file: 'src/bot/report/report-deliveries.ts',
    from: "'a delivery was refused',\n          about,",
    to: "'a delivery was refused',\n          about(),",
    promise: 'GUARD-5',
    breaks: 'A refusal is explained only where its line is written.',
    killedBy: { [STRANGERS]: 'is explained only where a line is written' },
  },
  {
    file: 'src/bot/inbox/explain.ts',
    from: '> MOST_TRIED ?',
    to: '> Infinity ?',
    promise: 'GUARD-5',
    breaks: 'Only a small body is explained.',
    killedBy: { [STRANGERS]: 'and only if its body is small' },
  },
  {
    file: 'src/bot/inbox/http.ts',
    from: 'used += bytes',
    to: 'used += bytes + 256',
    promise: 'GUARD-9-parts',
    killedBy: {
      'test/bot/inbox/adapters/alike.test.ts': 'a body of 300,000 parts of one byte takes the room of its bytes alone',
    },
  },
  {
    file: 'src/bot/inbox/http.ts',
    from: 'Math.min(longer, Math.max(65_536, longer >> 2))',
    to: '4 * longer',
    promise: 'GUARD-9-parts',
    breaks: 'The bytes of a body are held with little more room than they need.',
    killedBy: { [STRANGERS]: 'in parts of one byte is joined as it arrives' },
  },
  {
    file: 'src/bot/inbox/adapters/node.ts',
    from: '(others ? reportWhatKeeps(log) : process.exit())',
    to: '(others ? process.exit() : reportWhatKeeps(log))',
    promise: 'GUARD-19',
    killedBy: { [SERVE]: 'serve leaves the end to an app that listens once' },
  },
  {
    file: 'src/bot/inbox/adapters/node.ts',
    from: 'process.prependListener(signal, handler)',
    to: 'process.on(signal, handler)',
    promise: 'GUARD-19',
    breaks: 'An app that listens for the signal once, and did so before serve(), ends the process itself.',
    killedBy: { [SERVE]: 'serve leaves the end to an app that listens once, and did before it' },
  },
  {
    file: 'src/bot/inbox/adapters/node.ts',
    from: 'stopped.then(() => Promise.all(stops))',
    to: 'stopped',
    promise: 'GUARD-19',
    breaks: 'A process with two bots ends when both have stopped.',
    killedBy: { [SERVE]: 'serve ends the process when both of its bots have stopped' },
  },
  {
    file: 'src/bot/inbox/adapters/node.ts',
    from: 'server.keepAliveTimeout = 65_000',
    to: 'server.keepAliveTimeout = 30_000',
    promise: 'GUARD-22',
    killedBy: { [SERVE]: 'allows 30 s for a request, where Node alone would wait minutes' },
  },
] satisfies Mutant[]
