import type { Mutant } from './driver/mutant.ts'

const ANSWERS = 'test/bot/inbox/answers.test.ts'
const FETCH = 'test/bot/inbox/adapters/fetch.test.ts'
const READ_DELIVERY = 'test/bot/inbox/read-delivery.test.ts'
const SQLITE = 'test/store/sqlite.test.ts'

/** What is acknowledged, known again, read and parked: signatures, limits, identities, payloads. */
export default [
  {
    file: 'src/bot/inbox/http.ts',
    from: 'suspected_replay: ANSWERS.duplicate',
    to: 'suspected_replay: ANSWERS.unauthorized',
    breaks: 'No signed delivery is answered with an error for its content: the service would disable the endpoint.',
    killedBy: {
      'test/bot/inbox/identity.test.ts': 'with another delivery id, which is acknowledged, kept and never dispatched',
    },
  },
  {
    file: 'src/bot/inbox/signature.ts',
    from: "if (secret.trim() === '') throw refuse(name, 'it is empty')",
    to: '',
    breaks: 'An empty secret is refused, because it would let anybody in.',
    killedBy: { 'test/bot/inbox/secrets.test.ts': 'is refused by name and never shown: empty' },
  },
  {
    file: 'src/bot/inbox/receiver.ts',
    from: "encoding.toLowerCase() !== 'identity'",
    to: "!encoding.toLowerCase().includes('identity')",
    breaks: 'A compressed body is refused, also behind a list that begins with identity.',
    killedBy: { [ANSWERS]: 'a Content-Encoding is refused unread, unless it changes nothing: "identity, gzip"' },
  },
  {
    file: 'src/bot/inbox/receiver.ts',
    from: 'const accepted = await this.#store(delivery, { read, begin: room.begin, until }).catch(',
    to: `const accepted = { as: 'stored' as Acceptance } as Accepted
      void this.#store(delivery, { read, begin: room.begin, until }).catch(`,
    breaks: 'The answer comes after the delivery is on disk.',
    killedBy: { [ANSWERS]: 'is not given before the delivery is on disk' },
  },
  {
    file: 'src/bot/inbox/receiver.ts',
    from: `unavailable(error, material)
      return ANSWERS.unavailable`,
    to: `unavailable(error, material)
      return ANSWERS.accepted`,
    breaks: 'A delivery that could not be stored is answered with 503, so that the service sends it again.',
    killedBy: { 'test/bot/inbox/adapters/alike.test.ts': 'a store that cannot write' },
  },
  {
    file: 'src/bot/inbox/receiver.ts',
    from: '...(!by.ok && { stale: true }),',
    to: '',
    breaks: 'A stale delivery that is kept is never handled.',
    killedBy: { 'test/bot/inbox/time.test.ts': 'is refused, stored once with its bytes, and never handled' },
  },
  {
    file: 'src/bot/inbox/receiver.ts',
    from: "reason === 'mismatch' && !own.complete()",
    to: 'false',
    breaks: 'While a number’s secret is not known, a signature of no known secret is answered with 503, not 401.',
    killedBy: { 'test/bot/inbox/failures.test.ts': 'answers 503, and not 401' },
  },
  {
    file: 'src/bot/inbox/signature.ts',
    from: 'return timingSafeEqual(given, macOf(key, timestamp, body))',
    to: 'return timingSafeEqual(given.subarray(0, 16), macOf(key, timestamp, body).subarray(0, 16))',
    breaks: 'A signature is compared over all of its bytes.',
    killedBy: { 'test/bot/inbox/signature.test.ts': 'do not fit a signature with any flipped bit' },
  },
  {
    file: 'src/bot/inbox/signature.ts',
    from: 'Math.abs(now / 1000 - seconds)',
    to: 'now / 1000 - seconds',
    breaks: 'A delivery from more than 300 s ahead is refused.',
    killedBy: { 'test/bot/inbox/time.test.ts': '300001' },
  },
  {
    file: 'src/bot/inbox/signature.ts',
    from: '.update(signedPrefix(timestamp)).update(body)',
    to: '.update(body)',
    breaks: 'The signature covers the timestamp: a captured delivery cannot be sent again under a fresh one.',
    killedBy: { 'test/bot/inbox/signature.test.ts': 'are not a body cut at each of its dots' },
  },
  {
    file: 'src/bot/inbox/signature.ts',
    from: 'live: async () => only(number, await all.live()),',
    to: 'live: () => all.live(),',
    breaks: 'At the endpoint of a number only its own secrets count.',
    killedBy: { 'test/bot/inbox/endpoint.test.ts': 'the endpoint of a number accepts its deliveries' },
  },
  {
    file: 'src/bot/inbox/adapters/fetch.ts',
    from: "if (parts.length() + value.byteLength > maxBytes) return { problem: 'too_large' }",
    to: '',
    breaks: 'A body without a declared length is counted.',
    killedBy: { [FETCH]: 'an endless body gets 413 when it is counted, and is neither read further nor cancelled' },
  },
  {
    file: 'src/bot/inbox/http.ts',
    from: 'if (closed || used + bytes > most) return false',
    to: '',
    breaks: 'Bodies of strangers fill no more than 64 MiB of memory together.',
    killedBy: { 'test/bot/inbox/strangers.test.ts': 'can fill at most 64 MiB together with all others' },
  },
  {
    file: 'src/bot/number-lookup.ts',
    from: 'queue.size >= MOST_WAITING',
    to: 'false',
    breaks: 'Invented names cannot fill the memory.',
    killedBy: { 'test/bot/number-cache.test.ts': 'are looked up 32 at once, delay no known number' },
  },
  {
    file: 'src/bot/inbox/read-delivery.ts',
    from: 'const lastAt = Math.min(at, receivedAt)',
    to: 'const lastAt = receivedAt',
    breaks: 'A message that is delivered late opens no fresh window.',
    killedBy: {
      'test/journeys/window.test.ts': 'is not reopened by a message of twenty hours ago that is delivered now',
    },
  },
  {
    file: 'src/bot/inbox/read-delivery.ts',
    from: 'if (renamed) return quarantined(renamed)',
    to: '',
    breaks: 'A body that names another event than its header is not handled.',
    killedBy: { 'test/journeys/identity.test.ts': 'quarantines a body that names another event than its header' },
  },
  {
    file: 'src/bot/inbox/read-delivery.ts',
    from: 'if (mapping && mappedFacts(mapping).some(({ isFunction }) => isFunction)) return undefined',
    to: '',
    breaks: 'No function of the app runs before the answer.',
    killedBy: { [READ_DELIVERY]: 'runs no function of the app’s mapping before the answer, and reads paths' },
  },
  {
    file: 'src/bot/inbox/read-delivery.ts',
    from: "!sure.includes('customer') || !sure.includes('at')",
    to: "!sure.includes('at')",
    breaks: 'A guessed customer gets no open window.',
    killedBy: { [READ_DELIVERY]: 'is moved neither by a time without a zone nor by one of two different customers' },
  },
  {
    file: 'src/features/people/take-over.ts',
    from: `if (!sure.includes('customer')) return undefined
  const since`,
    to: 'const since',
    breaks: 'A customer is taken over only if the payload names them for certain.',
    killedBy: {
      'test/features/people/agent.test.ts':
        'leaves no customer to the agent whom the payload does not name for certain',
    },
  },
  {
    file: 'src/bot/inbox/read-delivery.ts',
    from: 'values.numberId !== own && sure',
    to: 'values.numberId === own && sure',
    breaks: 'A payload that names another number is parked.',
    killedBy: {
      'test/journeys/identity.test.ts': 'park a delivery that names another number than the one whose secret matched',
    },
  },
  {
    file: 'src/bot/inbox/payload/locate.ts',
    from: 'wordsOf(`data payload message object',
    to: 'wordsOf(`data message object',
    breaks: 'A message is found in each envelope that services use.',
    killedBy: { 'test/bot/inbox/payload/locate.test.ts': 'is found inside every wrapper' },
  },
  {
    file: 'src/bot/inbox/payload/guess.ts',
    from: "if (!isStatus && !kind) alarm(findings, 'fact_missing', 'kind')",
    to: '',
    breaks: 'A message without any known fact raises an alarm.',
    killedBy: {
      'test/bot/inbox/payload/content.test.ts': 'is reported as missing, because no route would get such a message',
    },
  },
  {
    file: 'src/bot/inbox/payload/guess.ts',
    from: 'const sure = agreed && found !== undefined && isCertain(found.hit)',
    to: 'const sure = agreed',
    breaks: 'A customer found at a place that may contain something else is not sure.',
    killedBy: { 'test/bot/inbox/payload/customer.test.ts': 'is found, but not sure, at other places' },
  },
  {
    file: 'src/bot/inbox/payload/guess.ts',
    from: 'else if (ours.includes(of(digits))) refused ??= hit',
    to: '',
    breaks: 'Our own number is never the customer.',
    killedBy: { 'test/bot/inbox/payload/customer.test.ts': 'is never the customer, whichever member names it' },
  },
  {
    file: 'src/bot/inbox/payload/guess.ts',
    from: `agreed = conflict(findings, hit)
  }`,
    to: `agreed = true
  }`,
    breaks: 'Two numbers that differ make the customer unsure.',
    killedBy: { 'test/bot/inbox/payload/negatives.test.ts': 'raises its alarm and is not misread: two customers' },
  },
  {
    file: 'src/bot/inbox/payload/guess.ts',
    from: 'return ourNumbers(findings).includes(spellingIn(findings)(digits))',
    to: 'return ourNumbers(findings).includes(digits)',
    breaks: 'A mapping never makes our own number a customer, in whatever spelling.',
    killedBy: {
      'test/bot/inbox/payload/mapping.test.ts': 'makes neither our own number nor the digits of a hidden id a customer',
    },
  },
  {
    file: 'src/bot/inbox/payload/mapping.ts',
    from: "if (name === 'customer' && isOurs(findings, value as string)) {",
    to: 'if (false) {',
    breaks: 'A mapping never makes our own number a customer.',
    killedBy: {
      'test/bot/inbox/payload/mapping.test.ts': 'makes neither our own number nor the digits of a hidden id a customer',
    },
  },
  {
    file: 'src/bot/inbox/payload/guess.ts',
    from: 'moment.zoned && isCertain(hit)',
    to: 'isCertain(hit)',
    breaks: 'A time without a zone is not sure, and moves no window.',
    killedBy: { 'test/bot/inbox/payload/time.test.ts': 'without a zone is UTC, whatever this machine’s zone' },
  },
  {
    file: 'src/bot/compose.ts',
    from: "answersGuessed: settings.replies === 'guessed'",
    to: 'answersGuessed: true',
    breaks: 'With replies: mapped, a guessed customer gets no reply.',
    killedBy: {
      'test/journeys/recipients.test.ts':
        'is nobody if only a guess says who wrote, and guesses are not answered: the delivery is kept, and nothing is sent',
    },
  },
  {
    file: 'src/bot/options.ts',
    from: "identicalDeliveries: given.identicalDeliveries ?? 'hold'",
    to: "identicalDeliveries: given.identicalDeliveries ?? 'dispatch'",
    breaks: 'Identical signed bytes under another id are stored and not handled, unless the app chooses otherwise.',
    killedBy: { 'test/bot/inbox/identity.test.ts': 'runs once, however the delivery is repeated' },
  },
  {
    file: 'src/store/inbox/accept.ts',
    from: "wasNeverHandled(identical) ? 'conflict' : 'suspected_replay'",
    to: "'suspected_replay'",
    breaks: 'Signed bytes that somebody posted under a false event name before are kept for a person, with an alarm.',
    killedBy: { 'test/journeys/identity.test.ts': 'keeps the genuine delivery for a person, with an alarm' },
  },
  {
    file: 'src/store/inbox/accept.ts',
    from: "byId.sameBytes ? 'suspected_replay' : 'conflict')",
    to: "'suspected_replay')",
    breaks: 'The same id with other bytes is a conflict that waits for a person.',
    killedBy: { [SQLITE]: 'keeps a known id with other signed bytes as a conflict' },
  },
  {
    file: 'src/store/inbox/arrive.ts',
    from: "known.claimant === claimant ? 'same_message' : 'reused'",
    to: "'same_message'",
    breaks: 'Another message under an id that was used is handled.',
    killedBy: { [SQLITE]: 'handles another message under a used identity' },
  },
  {
    file: 'src/store/inbox/arrive.ts',
    from: 'earlierCause ?? (',
    to: '(',
    breaks: 'A message that was ingested again is answered under the keys of its first run.',
    killedBy: { [SQLITE]: 'keeps the cause and the completed handlers of an item that ran before it was parked' },
  },
  {
    file: 'src/bot/report/report-deliveries.ts',
    from: 'const WARN_AT = [5, 10, 15]',
    to: 'const WARN_AT = [15, 18]',
    breaks: 'The alarm comes well before the endpoint is disabled.',
    killedBy: {
      'test/bot/inbox/failures.test.ts': 'warns at 5, 10 and 15 deliveries in a row that were not acknowledged',
    },
  },
  {
    file: 'src/store/maintenance/maintenance.ts',
    from: 'if (idsMs >= toMs(IDS_AT_LEAST)) return',
    to: 'return',
    breaks: 'Ids are kept for as long as a replay could be accepted.',
    killedBy: { 'test/bot/options.test.ts': 'are refused by name: retention' },
  },
] satisfies Mutant[]
