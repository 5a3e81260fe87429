import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/adapters/node.ts',
    from: 'if (asked === health) ',
    to: 'if (false) ',
    breaks: 'serve answers probes at its health path.',
    killedBy: { 'test/adapters/serve.test.ts': 'answers probes at /health' },
  },
  {
    file: 'src/adapters/express.ts',
    from: 'if (!isAtMountPath(request, middleware)) return next()',
    to: '',
    breaks: 'The receiver answers at its mount path and nowhere below it.',
    killedBy: { 'test/adapters/mount.test.ts': 'a route below the mount path is reached with its body untouched' },
  },
  {
    file: 'src/adapters/health.ts',
    from: 'status: ready ? 200 : 503',
    to: 'status: 200',
    breaks: 'A process that cannot store is not healthy.',
    killedBy: {
      'test/adapters/mount.test.ts':
        'is 503 after a delivery that could not be stored, until another is, or ten seconds later',
    },
  },
  {
    file: 'src/adapters/fetch.ts',
    from: "if (length > maxBytes) return { problem: 'too_large' }",
    to: '',
    breaks: 'A body without a declared length is counted.',
    killedBy: { 'test/adapters/fetch.test.ts': 'the real length counts, whatever is declared: many' },
  },
  {
    file: 'src/adapters/node-http.ts',
    from: "if (request.readableDidRead) return Promise.resolve({ problem: 'already_parsed' })",
    to: '',
    breaks: 'A body that somebody has begun to read is told, and never waited for.',
    killedBy: {
      'test/adapters/parser.test.ts': 'somebody who took the first part is a configuration error at once, and no 401',
    },
  },
  {
    file: 'src/adapters/node-http.ts',
    from: "kept.byteLength > limits.maxBytes ? { problem: 'too_large' } : { bytes: kept }",
    to: '{ bytes: kept }',
    breaks: 'The limit of a body holds for bytes that a parser kept, too.',
    killedBy: { 'test/adapters/parser.test.ts': 'bytes that were kept are held to the same limit' },
  },
  {
    file: 'src/adapters/node.ts',
    from: 'server.headersTimeout = 10_000',
    to: 'server.headersTimeout = 60_000',
    breaks: 'serve() gives a client ten seconds for its headers.',
    killedBy: { 'test/adapters/serve.test.ts': 'gives a head 10 s and a whole request 30 s' },
  },
  {
    file: 'src/adapters/node.ts',
    from: 'server.requestTimeout = 30_000',
    to: 'server.requestTimeout = 300_000',
    breaks: 'serve() gives a whole request 30 seconds.',
    killedBy: { 'test/adapters/serve.test.ts': 'gives a head 10 s and a whole request 30 s' },
  },
  {
    file: 'src/adapters/node.ts',
    from: 'if (name !== undefined)',
    to: 'if (name === "hots")',
    breaks: 'serve() refuses an option that it does not have, above all host.',
    killedBy: {
      'test/adapters/serve.test.ts': 'refuses an unknown option by name: an ignored host would be open to all',
    },
  },
  {
    file: 'src/adapters/node.ts',
    from: 'if (asked !== path)',
    to: 'if (!asked.startsWith(path))',
    breaks: 'serve() receives at its own path alone.',
    killedBy: { 'test/adapters/serve.test.ts': 'another path is 404, though it is signed: /webhooks/messages/' },
  },
  {
    file: 'src/adapters/node.ts',
    from: `await internals.stop()
    throw error`,
    to: 'throw error',
    breaks: 'A port in use stops the bot that was started for it.',
    killedBy: { 'test/adapters/serve.test.ts': 'a port in use is named, and nothing is left open' },
  },
  {
    file: 'src/adapters/node.ts',
    from: 'onDrained: () => closed(server) }',
    to: '}',
    breaks: 'serve() stops listening when the bot has stopped.',
    killedBy: {
      'test/adapters/serve.test.ts':
        'close stops listening, closes the store and removes the signal handlers; a second call waits for the first',
    },
  },
  {
    file: 'src/adapters/endpoint.ts',
    from: 'number === undefined && needsNumber',
    to: 'false',
    breaks: 'An endpoint for all numbers is refused where nobody knows the secrets of all.',
    killedBy: { 'test/adapters/endpoint.test.ts': 'has to be named if the numbers come from a source' },
  },
] satisfies Mutant[]
