import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/receive/http.ts',
    from: 'suspected_replay: ANSWERS.duplicate',
    to: 'suspected_replay: ANSWERS.unauthorized',
    breaks: 'No signed delivery is answered with an error for its content: the service would disable the endpoint.',
    killedBy: {
      'test/receive/identity.test.ts':
        'a captured delivery with another delivery id is acknowledged, kept and never dispatched',
    },
  },
  {
    file: 'src/receive/http.ts',
    from: 'quarantined: ANSWERS.accepted',
    to: 'quarantined: ANSWERS.unavailable',
    breaks: 'A signed delivery that cannot be read is acknowledged.',
    killedBy: {
      'test/receive/content.test.ts': 'is acknowledged, kept and reported: two delivery ids that were joined',
    },
  },
  {
    file: 'src/receive/http.ts',
    from: 'found = found === undefined ? value : [found, value].flat()',
    to: 'found = value',
    breaks: 'Two spellings of one header in a record made by hand are two values, and refused.',
    killedBy: { 'test/receive/pure.test.ts': 'says why it refuses: two spellings' },
  },
  {
    file: 'src/receive/keys.ts',
    from: 'Math.abs(now - refreshedAt) < RENEW_AFTER_MS',
    to: 'false',
    breaks: 'A flood of forgeries calls a function of secrets at most every 30 s.',
    killedBy: {
      'test/receive/keys.test.ts': 'calls a function once, and again at a wrong signature, at most every 30 s',
    },
  },
  {
    file: 'src/receive/keys.ts',
    from: 'Math.abs(machine() - refreshedAt) >= RETRY_AFTER_MS',
    to: 'machine() - refreshedAt >= RETRY_AFTER_MS',
    breaks: 'A clock that was set back does not delay the next call of a function of secrets.',
    killedBy: { 'test/receive/keys.test.ts': 'calls it again after a second even if the clock was set back meanwhile' },
  },
  {
    file: 'src/receive/keys.ts',
    from: "if (secret.trim() === '') throw refuse(name, 'it is empty')",
    to: '',
    breaks: 'An empty secret is refused, since it would let anybody in.',
    killedBy: { 'test/receive/secrets.test.ts': 'is refused by name and never shown: empty' },
  },
  {
    file: 'src/receive/keys.ts',
    from: 'if (secret.trim() !== secret)',
    to: 'if (secret.trimStart() !== secret)',
    breaks: 'A secret with a line break at its end is refused by name.',
    killedBy: {
      'test/receive/secrets.test.ts': 'is refused by name and never shown: one with a line break from a file',
    },
  },
  {
    file: 'src/receive/keys.ts',
    from: 'failed: ${name}`',
    to: 'failed: ${String(error)}`',
    breaks: 'The error of a function of secrets, which may show one, is in no log.',
    killedBy: {
      'test/receive/keys.test.ts':
        'rejects while a function fails, calls it again a second later, and shows nothing of its error',
    },
  },
  {
    file: 'src/receive/keys.ts',
    from: 'known.set(number, current)',
    to: `known.clear()
      known.set(number, current)`,
    breaks: 'A number whose function of secrets fails keeps the secrets that it had.',
    killedBy: {
      'test/receive/keys.test.ts':
        'keeps the secrets of a number whose function fails later, while another number’s are renewed',
    },
  },
  {
    file: 'src/receive/receive.ts',
    from: "if (incoming.method !== 'POST')",
    to: "if (incoming.method === 'GET')",
    breaks: 'Only POST is received.',
    killedBy: {
      'test/receive/answers.test.ts':
        'any method but POST: 405 method_not_allowed, with Allow, though it is signed: "HEAD"',
    },
  },
  {
    file: 'src/receive/receive.ts',
    from: "encoding.toLowerCase() !== 'identity'",
    to: "!encoding.toLowerCase().includes('identity')",
    breaks: 'A compressed body is refused, also behind a list that begins with identity.',
    killedBy: {
      'test/receive/answers.test.ts':
        'a Content-Encoding: 415 unsupported_encoding, and the body is not read: identity, gzip',
    },
  },
  {
    file: 'src/receive/receive.ts',
    from: '[deps.clock.wall(), deps.clock.machine()]',
    to: '[deps.clock.wall(), deps.clock.wall()]',
    breaks: 'A database whose clock is wrong has no process refuse what it should take.',
    killedBy: { 'test/receive/time.test.ts': 'is judged by the machine’s clock, and kept by the store’s' },
  },
  {
    file: 'src/receive/receive.ts',
    from: 'deps.verify(incoming, body.bytes, judgedAt)',
    to: 'deps.verify(incoming, body.bytes, deps.clock.machine())',
    breaks: 'The time of a delivery is judged when its headers are in: a slow upload does not make it stale.',
    killedBy: {
      'test/receive/time.test.ts': 'is judged when the headers are in: a slow upload does not make it stale',
    },
  },
  {
    file: 'src/receive/receive.ts',
    from: 'const acceptance = await deps.accept(delivery, waitMs())',
    to: `const acceptance = 'stored' as Acceptance
    void deps.accept(delivery, waitMs()).catch(() => {})`,
    breaks: 'The answer comes after the delivery is on disk.',
    killedBy: { 'test/receive/answers.test.ts': 'is not given before the delivery is on disk' },
  },
  {
    file: 'src/receive/receive.ts',
    from: 'return ANSWERS.unavailable',
    to: 'return ANSWERS.accepted',
    breaks: 'A delivery that could not be stored is answered 503, so that the service sends it again.',
    killedBy: { 'test/receive/answers.test.ts': 'the store cannot write: 503 unavailable, without the reason' },
  },
  {
    file: 'src/receive/receive.ts',
    from: 'return deps.stopping() ? askingForNewConnection(ANSWER_TO[acceptance]) : ANSWER_TO[acceptance]',
    to: 'return ANSWER_TO[acceptance]',
    breaks: 'During a stop each answer closes its connection, so that the service goes to the next process.',
    killedBy: { 'test/receive/answers.test.ts': 'while it stops: the same answers, and the connection is closed' },
  },
  {
    file: 'src/receive/receive.ts',
    from: '&& deps.keepStale) await',
    to: ') await',
    breaks: 'Stale deliveries are stored only where the app asks for it.',
    killedBy: { 'test/receive/time.test.ts': 'is refused like any other, and not stored by default' },
  },
  {
    file: 'src/receive/receive.ts',
    from: ', stale: true }, waitMs())',
    to: ' }, waitMs())',
    breaks: 'A stale delivery that is kept is never handled.',
    killedBy: { 'test/receive/time.test.ts': 'is refused all the same, stored once with its bytes, and never handled' },
  },
  {
    file: 'src/receive/receiver.ts',
    from: 'local ? EMULATOR_CLOCK_OFFSET.toLowerCase() : undefined',
    to: 'EMULATOR_CLOCK_OFFSET.toLowerCase()',
    breaks: 'A header that is not signed moves no clock beside the real service.',
    killedBy: {
      'test/receive/content.test.ts':
        'moves no clock beside the real service: it is not signed, and would open a window that is closed',
    },
  },
  {
    file: 'src/receive/receiver.ts',
    from: "reason === 'mismatch' && !keys.complete()",
    to: 'false',
    breaks: 'While a number’s secret is not known, a signature that no known secret made is answered 503, not 401.',
    killedBy: {
      'test/receive/failures.test.ts':
        'answers 503, and not 401, to a signature that no known secret made while a number’s secret is not known',
    },
  },
  {
    file: 'src/receive/receiver.ts',
    from: 'failedAt = undefined',
    to: '',
    breaks: 'A process is ready again as soon as it stores a delivery.',
    killedBy: {
      'test/receive/failures.test.ts':
        'is not ready for ten seconds after a delivery that it could not store, whichever way the clock goes, or until it stores one',
    },
  },
  {
    file: 'src/receive/receiver.ts',
    from: 'Math.abs(clock.wall() - failedAt) >= NOT_READY_MS',
    to: 'clock.wall() - failedAt >= NOT_READY_MS',
    breaks: 'A clock that was set back does not keep a process from being ready.',
    killedBy: {
      'test/receive/failures.test.ts':
        'is not ready for ten seconds after a delivery that it could not store, whichever way the clock goes, or until it stores one',
    },
  },
  {
    file: 'src/receive/signature.ts',
    from: 'if (timingSafeEqual(given,',
    to: 'if (timingSafeEqual(given.subarray(0, 16), macOf(key, timestamp, body).subarray(0, 16)) || timingSafeEqual(given,',
    breaks: 'A signature is compared over all of its bytes.',
    killedBy: { 'test/receive/signature.test.ts': 'refuses a signature in which any one bit was flipped' },
  },
  {
    file: 'src/receive/signature.ts',
    from: 'found ??= subscription',
    to: 'found = keyring.keys[0]?.subscription',
    breaks: 'The secret that matches names the subscription.',
    killedBy: { 'test/receive/secrets.test.ts': 'the one that matches names the subscription' },
  },
  {
    file: 'src/receive/signature.ts',
    from: '<= TIMESTAMP_TOLERANCE_SECONDS',
    to: '< TIMESTAMP_TOLERANCE_SECONDS',
    breaks: 'A delivery that was signed exactly 300 s ago is accepted.',
    killedBy: { 'test/receive/time.test.ts': 'is accepted when it is 300000 ms from now, before and after' },
  },
  {
    file: 'src/receive/signature.ts',
    from: 'Math.abs(now / 1000 - seconds)',
    to: 'now / 1000 - seconds',
    breaks: 'A delivery from more than 300 s ahead is refused.',
    killedBy: {
      'test/receive/time.test.ts':
        'is refused when it is 300001 ms from now, before and after, and the store is not called',
    },
  },
  {
    file: 'src/receive/signature.ts',
    from: '.update(signedPrefix(timestamp)).update(body)',
    to: '.update(body)',
    breaks: 'The signature covers the timestamp: a captured delivery cannot be sent again under a fresh one.',
    killedBy: {
      'test/receive/signature.test.ts': 'refuses a body cut at each of its dots, though the signature is the same',
    },
  },
  {
    file: 'src/receive/signature.ts',
    from: '|| !TIMESTAMP_FORM.test(timestamp.value)',
    to: '',
    breaks:
      'The timestamp must be digits before anything is hashed: the same signature holds for another cut between timestamp and body.',
    killedBy: {
      'test/receive/pure.test.ts':
        'refuses a body that lost its first digits to the timestamp, though the signature is the same',
    },
  },
  {
    file: 'src/receive/to-delivery.ts',
    from: 'id.value === undefined ? undefined : canonicalDeliveryId(id.value)',
    to: 'id.value',
    breaks: 'A delivery id is the same in either case.',
    killedBy: {
      'test/receive/identity.test.ts':
        'is the same when its ULID is written in another case: 01HZY3F8Q2V6J9K4M7N0P5R8TB, 01hzy3f8q2v6j9k4m7n0p5r8tb',
    },
  },
  {
    file: 'src/receive/to-delivery.ts',
    from: "...(unclear.length > 0 && { unclear: unclear.join(', ') }),",
    to: '',
    breaks: 'A delivery with headers that cannot be read is quarantined.',
    killedBy: {
      'test/receive/content.test.ts': 'is acknowledged, kept and reported: two delivery ids that were joined',
    },
  },
  {
    file: 'src/receive/receiver.ts',
    from: '/^[a-z_]{1,40}$/.test(fault) ? fault : undefined',
    to: 'undefined',
    breaks: 'An armed fault is named as the cause of a refusal.',
    killedBy: { 'test/receive/explain.test.ts': 'names the fault that was armed in the emulator' },
  },
  {
    file: 'src/receive/receiver.ts',
    from: '/^[a-z_]{1,40}$/.test(fault) ? fault',
    to: 'fault ? fault',
    breaks: 'A fault that is no name comes into no log.',
    killedBy: { 'test/receive/explain.test.ts': 'names no fault if the name is none' },
  },
  {
    file: 'src/receive/keys.ts',
    from: 'live: async () => only(number, await all.live()),',
    to: 'live: () => all.live(),',
    breaks: 'At the endpoint of a number its own secrets count alone.',
    killedBy: { 'test/receive/endpoint.test.ts': 'takes its deliveries, and those of another number it refuses' },
  },
  {
    file: 'src/receive/keys.ts',
    from: 'complete: () => !hasFunctions || known.has(number)',
    to: 'complete: all.complete',
    breaks: 'Secrets of one number that are not known close no other endpoint.',
    killedBy: {
      'test/receive/endpoint.test.ts': 'a function of secrets that fails closes the endpoint of its number alone',
    },
  },
  {
    file: 'src/receive/receiver.ts',
    from: 'bearsSignature(headers, names) ? await keysFor(number, keys) : NO_KEYS',
    to: 'await keysFor(number, keys)',
    breaks: 'A request without a signature costs the app’s database nothing.',
    killedBy: { 'test/app/number-source.test.ts': 'is not asked for by what bears no signature' },
  },
] satisfies Mutant[]
