import type { Mutant } from './driver/mutant.ts'

/** One reply per cause: keys, unknown outcomes, order, windows, codes, limits. */
export default [
  {
    file: 'src/store/rules/send-settlement.ts',
    from: "resolution !== 'resend' || !send.withheld",
    to: 'true',
    breaks: 'A one-time code is never resent from disk.',
    killedBy: {
      'test/store/rules/send-settlement.test.ts': 'says what a person may decide about a send that is refused',
    },
  },
  {
    file: 'src/store/rules/send-settlement.ts',
    from: "possiblyTwice || state === 'unknown' || heldFrom !== undefined",
    to: 'possiblyTwice',
    breaks: 'A send of unknown outcome that is sent again is marked.',
    killedBy: {
      'test/store/rules/send-settlement.test.ts':
        'resends a send that is of unknown outcome: perhaps twice, without its fallback',
    },
  },
  {
    file: 'src/store/rules/send-settlement.ts',
    from: "dropsFallback: via === 'freeform' && (state === 'unknown' || heldFrom === 'attempting')",
    to: 'dropsFallback: false',
    breaks: 'A text that may have arrived is not followed by its fallback.',
    killedBy: {
      'test/store/rules/send-settlement.test.ts':
        'resends a send that is of unknown outcome: perhaps twice, without its fallback',
    },
  },
  {
    file: 'src/store/rules/sends.ts',
    from: "if (known.customer !== asked.customer) return { found: 'known', diverged: true, marks: false }",
    to: '',
    breaks: 'A key is one message to one customer.',
    killedBy: { 'test/store/rules/sends.test.ts': 'sends nothing to another customer under the key, refused or not' },
  },
  {
    file: 'src/store/rules/sends.ts',
    from: "state === 'refused' || state === 'skipped' || state === 'cancelled'",
    to: "state === 'refused' || state === 'skipped' || state === 'cancelled' || state === 'unknown'",
    breaks: 'A send of unknown outcome never takes another body.',
    killedBy: {
      'test/store/rules/sends.test.ts': 'opens a send that is unknown again only if surely nothing was sent',
    },
  },
  {
    file: 'src/store/rules/sends.ts',
    from: "if (cameBack) return { state: 'held', ...RESTORED }",
    to: '',
    breaks: 'What a restored backup may have answered before waits for a person.',
    killedBy: {
      'test/store/rules/sends.test.ts':
        'a recorded send is held if its delivery came back with a backup, whatever else',
    },
  },
  {
    file: 'src/store/rules/sends.ts',
    from: "throttle.closedUntil > now ? 'no' : 'probe'",
    to: "throttle.closedUntil > now ? 'no' : 'yes'",
    breaks: 'After an outage one send asks for all.',
    killedBy: { 'test/store/rules/throttles-and-takeovers.test.ts': 'a send may begin: probe' },
  },
  {
    file: 'src/store/rules/send-settlement.ts',
    from: "(state === 'skipped' && code === 'stale')",
    to: "state === 'skipped'",
    breaks: 'A send that somebody took back is not told of.',
    killedBy: {
      'test/store/rules/send-failures.test.ts': 'is told of if it failed, and not if somebody took it back',
    },
  },
  {
    file: 'src/outbox/doubts.ts',
    from: '< REMEMBERED_MS',
    to: '<= REMEMBERED_MS',
    breaks: 'After 24 hours the service may have forgotten a key, so that a repeat is marked from then on.',
    killedBy: { 'test/outbox/outcome.test.ts': 'marks what may be twice, and not what is surely once: one after that' },
  },
  {
    file: 'src/outbox/doubts.ts',
    from: 'return isRemembered && now',
    to: 'return now',
    breaks: 'Where the service forgets keys at settlement, a repeat is marked.',
    killedBy: {
      'test/outbox/outcome.test.ts':
        'marks what may be twice, and not what is surely once: a repeat where keys are forgotten',
    },
  },
  {
    file: 'src/outbox/one-time-codes.ts',
    from: 'body: withheld,',
    to: 'body,',
    breaks: 'A one-time code is never on disk.',
    killedBy: { 'test/journeys/redaction.test.ts': 'leaves nothing of a code behind if its outcome stays unknown' },
  },
  {
    file: 'src/outbox/outcome.ts',
    from: 'doubtMs >= REPEAT_FOR_MS',
    to: 'doubtMs > REPEAT_FOR_MS',
    breaks: 'An unknown outcome is repeated for less than ten minutes, and at ten minutes no more.',
    killedBy: { 'test/outbox/outcome.test.ts': 'repeats an unknown outcome for ten minutes' },
  },
  {
    file: 'src/outbox/outcome.ts',
    from: "rules.onUnknown === 'hold' || doubtMs",
    to: 'doubtMs',
    breaks: "With onUnknown: 'hold' nothing is repeated.",
    killedBy: { 'test/outbox/outcome.test.ts': 'repeats nothing with onUnknown: hold' },
  },
  {
    file: 'src/outbox/outcome.ts',
    from: 'if (inDoubt) return unknown(send, why, askedWait(result), rules)',
    to: '',
    breaks: 'A refusal of a repeat settles nothing: the first attempt may have arrived.',
    killedBy: {
      'test/outbox/promise.test.ts':
        'sends no fallback once the text may have arrived: a refusal of the repeat settles nothing',
    },
  },
  {
    file: 'src/outbox/outcome.ts',
    from: "if (result.error.outcome === 'unknown') return unknown(send, why, askedWait(result), rules)",
    to: '',
    breaks: 'A time-out is no refusal: the same bytes go out again under the same key.',
    killedBy: {
      'test/outbox/outcome.test.ts':
        'takes a time-out, a reset and a 5xx as unknown: the same send is repeated, never a new one',
    },
  },
  {
    file: 'src/outbox/outcome.ts',
    from: "if (stops !== undefined) return { as: 'held', ...why }",
    to: '',
    breaks: 'A number without a valid token holds its sends, and refuses none.',
    killedBy: {
      'test/outbox/outcome.test.ts': 'holds the send at 401, 402 plan_feature_locked and 403 account_suspended',
    },
  },
  {
    file: 'src/outbox/outcome.ts',
    from: 'Math.max(askedWait({ error }), atLeast',
    to: 'Math.min(askedWait({ error }), atLeast',
    breaks: 'A send waits at least as long as the answer asks.',
    killedBy: {
      'test/outbox/outcome.test.ts':
        'waits at least as long as an answer asks, a minute at most, and never less than the back-off',
    },
  },
  {
    file: 'src/outbox/record-send.ts',
    from: 'return `${key}:fallback`',
    to: 'return key',
    breaks: 'The fallback goes out under a key of its own.',
    killedBy: {
      'test/outbox/promise.test.ts':
        'sends the template under a key of its own if the window closes between check and send, once',
    },
  },
  {
    file: 'src/outbox/record-send.ts',
    from: 'lane: `${number}/${customer}/out`',
    to: 'lane: `${number}/${customer}/out/${slot}`',
    breaks: 'To one customer sends go in order.',
    killedBy: {
      'test/outbox/pacing.test.ts':
        'repeats an unknown outcome for ten minutes across a crash, and goes on with the next one then',
    },
  },
  {
    file: 'src/outbox/record-send.ts',
    from: 'const key = keyFrom(number, cause, slot)',
    to: 'const key = keyFrom(cause, slot)',
    breaks: 'Keys of two numbers never meet.',
    killedBy: { 'test/journeys/sends.test.ts': 'is taken back by its key, and the key is free again' },
  },
  {
    file: 'src/outbox/send-worker.ts',
    from: 'if (!inDoubt && isInForce(takenOver, serviceNow) && takenOver.cause !== send.cause) return unwanted(takenOver)',
    to: '',
    breaks: 'A reply that waited while its customer was taken over is not sent.',
    killedBy: { 'test/outbox/waiting-replies.test.ts': 'is not sent if a person has the customer by then' },
  },
  {
    file: 'src/outbox/send-worker.ts',
    from: ' && takenOver.cause !== send.cause',
    to: '',
    breaks: 'A handler’s reply before its hand-over goes out, also if it had to wait.',
    killedBy: {
      'test/outbox/waiting-replies.test.ts': 'is sent if it is of the handler that handed the customer over',
    },
  },
  {
    file: 'src/outbox/tap-signature.ts',
    from: 'if (!timingSafeEqual(signature, signatureOf(parts.body, holder))) return undefined',
    to: '',
    breaks: 'An option’s id that somebody forged is not taken for a tap.',
    killedBy: {
      'test/journeys/taps.test.ts': 'opens nothing for another customer, whatever the phone of that one shows',
    },
  },
  {
    file: 'src/outbox/tap-signature.ts',
    from: 'macOf([number, customer, id], SIGNATURE_BYTES)',
    to: 'macOf([number, id], SIGNATURE_BYTES)',
    breaks: 'An option that was sent to one customer is worth nothing in the hands of another.',
    killedBy: {
      'test/journeys/taps.test.ts': 'opens nothing for another customer, whatever the phone of that one shows',
    },
  },
  {
    file: 'src/outbox/throttle.ts',
    from: 'inARow - OUTAGE_AFTER + 1',
    to: 'inARow - OUTAGE_AFTER',
    breaks: 'Five answers of trouble in a row close a number.',
    killedBy: {
      'test/outbox/throttle.test.ts':
        'is closed by the first 429, which limits the number, and by the fifth other answer of trouble in a row',
    },
  },
  {
    file: 'src/outbox/window.ts',
    from: 'open: now < closesAt',
    to: 'open: now <= closesAt',
    breaks: 'Exactly 24 hours after the customer’s last message the window is closed.',
    killedBy: {
      'test/outbox/window.test.ts': 'is open until 23:59:59.999 after the last message and closed at exactly 24 hours',
    },
  },
  {
    file: 'src/outbox/window.ts',
    from: 'windowAt(lastInboundAt, now).open === false',
    to: 'windowAt(lastInboundAt, now).open !== true',
    breaks: 'An unknown window does not send the template.',
    killedBy: {
      'test/outbox/window.test.ts': 'takes the free-form if the window is open, unknown, or a delivery waits unread',
    },
  },
  {
    file: 'src/client/http.ts',
    from: 'if (!socket.connecting && !socket.secureConnecting) return connected()',
    to: 'return connected()',
    breaks: 'A request whose handshake fails was certainly not sent.',
    killedBy: { 'test/client/transport.test.ts': 'whose connection ends during the handshake was not sent' },
  },
  {
    file: 'src/client/http.ts',
    from: "redirect: 'manual'",
    to: "redirect: 'follow'",
    breaks: 'No redirect carries the token elsewhere.',
    killedBy: { 'test/client/transport.test.ts': 'by a fetch is led nowhere else' },
  },
  {
    file: 'src/client/http.ts',
    from: 'settings.loopback && headers',
    to: 'headers',
    breaks: 'Nobody but an emulator on this machine moves a clock.',
    killedBy: { 'test/client/send.test.ts': 'is adopted on this machine alone' },
  },
  {
    file: 'src/client/errors.ts',
    from: "const known = notSent || call.method === 'GET'",
    to: 'const known = true',
    breaks: 'A send without an answer may have arrived.',
    killedBy: { 'test/client/no-answer.test.ts': 'ends the attempt after 30 s, with an unknown outcome' },
  },
  {
    file: 'src/client/redact.ts',
    from: 'text.slice(0, SEARCHED_CHARACTERS))',
    to: 'text)',
    breaks: 'A long refusal takes no more work than a short one.',
    killedBy: { 'test/client/canaries.test.ts': 'takes no more work than a short one' },
  },
  {
    file: 'src/client/redact.ts',
    from: 'redacted.slice(0, 1 - HEAD)',
    to: 'redacted',
    breaks: 'A secret that the cut has shortened is hidden.',
    killedBy: { 'test/client/canaries.test.ts': 'that an answer or the cut has shortened is hidden' },
  },
  {
    file: 'src/client/refusal.ts',
    from: 'shortened(redact(text))',
    to: 'shortened(text)',
    breaks: 'An error shows nothing of the message that the service repeats.',
    killedBy: { 'test/client/canaries.test.ts': 'is in no error, whatever prints it: an address that is signed' },
  },
  {
    file: 'src/client/key.ts',
    from: 'hashed += `${Buffer.byteLength(String(part))}:${part}`',
    to: 'hashed += `${part}`',
    breaks: 'No two lists of parts give the same key.',
    killedBy: { 'test/client/key.test.ts': 'keeps lists of parts apart that read alike when they are joined' },
  },
  {
    file: 'src/client/key.ts',
    from: "const VERSION = 'sh1_'",
    to: "const VERSION = 'sh2_'",
    breaks: 'A key never changes between releases.',
    killedBy: {
      'test/client/key.test.ts': 'makes a key as another program computes it, and this one must never change',
    },
  },
  {
    file: 'src/content/one-time-code.ts',
    from: 'wireWith(named, CODE_WITHHELD)',
    to: 'wireWith(named, code)',
    breaks: 'Nothing prints a one-time code.',
    killedBy: { 'test/content/one-time-code.test.ts': 'is [code withheld], whatever prints it' },
  },
  {
    file: 'src/content/recipient.ts',
    from: "if (digits.startsWith('0'))",
    to: 'if (false)',
    breaks: 'A number that begins with 0 is refused.',
    killedBy: { 'test/content/recipient.test.ts': 'refuses a national number without repeating it' },
  },
  {
    file: 'src/content/wire.ts',
    from: 'if (!isPublicHost(url.hostname))',
    to: 'if (false)',
    breaks: 'Media in a private network are refused before anything is sent.',
    killedBy: {
      'test/content/text-and-media.test.ts': 'refuses an address that is not public https: IPv6-mapped private',
    },
  },
  {
    file: 'src/outbox/tap-signature.ts',
    from: 'given.length === PROOF_BYTES && timingSafeEqual(given, proofOf(id))',
    to: 'given.length === PROOF_BYTES',
    breaks: 'Only an option that `tap()` made is signed, whatever JSON a customer writes.',
    killedBy: {
      'test/journeys/taps.test.ts':
        'is refused if the option was stored as JSON before a bot ran, for another id, or over another database',
    },
  },
] satisfies Mutant[]
