import type { Mutant } from './driver/mutant.ts'

const SEND_SETTLEMENT = 'test/store/rules/send-settlement.test.ts'
const SENDS = 'test/store/rules/sends.test.ts'
const OUTCOME = 'test/bot/outbox/outcome.test.ts'
const PROMISE = 'test/bot/outbox/promise.test.ts'
const TAPS = 'test/journeys/taps.test.ts'
const WINDOW = 'test/bot/outbox/window.test.ts'

/** One reply per cause: keys, unknown outcomes, order, windows, codes, limits. */
export default [
  {
    file: 'src/store/rules/send-settlement.ts',
    from: "resolution !== 'resend' || !send.withheld",
    to: 'true',
    breaks: 'A one-time code is never resent from disk.',
    killedBy: { [SEND_SETTLEMENT]: 'says what a person may decide about a send that is refused' },
  },
  {
    file: 'src/store/rules/send-settlement.ts',
    from: "possiblyTwice || state === 'unknown' || heldFrom !== undefined",
    to: 'possiblyTwice',
    breaks: 'A send with an unknown outcome is marked if it is sent again.',
    killedBy: { [SEND_SETTLEMENT]: 'resends a send that is of unknown outcome: perhaps twice, without its fallback' },
  },
  {
    file: 'src/store/rules/send-settlement.ts',
    from: "dropsFallback: via === 'freeform' && (state === 'unknown' || heldFrom === 'attempting')",
    to: 'dropsFallback: false',
    breaks: 'A text that may have arrived is not followed by its fallback.',
    killedBy: { [SEND_SETTLEMENT]: 'resends a send that is of unknown outcome: perhaps twice, without its fallback' },
  },
  {
    file: 'src/store/rules/sends.ts',
    from: "if (known.customer !== asked.customer) return { found: 'known', diverged: true, marks: false }",
    to: '',
    breaks: 'A key is one message to one customer.',
    killedBy: { 'test/store/sqlite.test.ts': 'sends nothing to one customer under the key of another one’s message' },
  },
  {
    file: 'src/store/rules/sends.ts',
    from: "state === 'refused' || state === 'skipped' || state === 'cancelled'",
    to: "state === 'refused' || state === 'skipped' || state === 'cancelled' || state === 'unknown'",
    breaks: 'A send with an unknown outcome never gets another body.',
    killedBy: { [SENDS]: 'opens a send that is unknown again only if surely nothing was sent' },
  },
  {
    file: 'src/store/rules/sends.ts',
    from: "if (cameBack) return { state: 'held', ...RESTORED }",
    to: '',
    breaks: 'Messages that a restored backup may have answered wait for a person.',
    killedBy: { [SENDS]: 'a recorded send is held if its delivery came back with a backup, whatever else' },
  },
  {
    file: 'src/store/rules/sends.ts',
    from: "throttle.closedUntil > now ? 'no' : 'probe'",
    to: "throttle.closedUntil > now ? 'no' : 'yes'",
    breaks: 'After an outage one send probes for all.',
    killedBy: { 'test/store/sqlite.test.ts': 'waits while its number is paused or stopped' },
  },
  {
    file: 'src/bot/outbox/outcome.ts',
    from: '< REMEMBERED_MS',
    to: '<= REMEMBERED_MS',
    breaks: 'After 24 hours the service may have forgotten a key, so a repeat is marked.',
    killedBy: { [OUTCOME]: 'includes a mark if it may be doubled, and none if it is surely one: one after that' },
  },
  {
    file: 'src/bot/outbox/outcome.ts',
    from: "return keysRememberedFor === '24h' && now",
    to: 'return now',
    breaks: 'If the service forgets keys at settlement, a repeat is marked.',
    killedBy: {
      [OUTCOME]:
        'includes a mark if it may be doubled, and none if it is surely one: a repeat where keys are forgotten',
    },
  },
  {
    file: 'src/bot/outbox/one-time-codes.ts',
    from: 'body: withheld,',
    to: 'body,',
    breaks: 'A one-time code is never on disk.',
    killedBy: {
      'test/journeys/redaction.test.ts':
        'leaves no trace of a code if its outcome stays unknown, or if the bot stops in the middle',
    },
  },
  {
    file: 'src/bot/outbox/outcome.ts',
    from: 'doubtMs >= REPEAT_FOR_MS',
    to: 'doubtMs > REPEAT_FOR_MS',
    breaks: 'An unknown outcome is repeated for less than ten minutes, and at ten minutes no more.',
    killedBy: {
      [OUTCOME]: 'is to repeat an unknown outcome for ten minutes from the first attempt in doubt, and then no more',
    },
  },
  {
    file: 'src/bot/outbox/outcome.ts',
    from: "rules.onUnknown === 'hold' || doubtMs",
    to: 'doubtMs',
    breaks: "With onUnknown: 'hold' nothing is repeated.",
    killedBy: { [OUTCOME]: 'is to repeat nothing with onUnknown: hold' },
  },
  {
    file: 'src/bot/outbox/outcome.ts',
    from: 'if (inDoubt) return unknown(send, why, requestedWaitMs(result), rules)',
    to: '',
    breaks: 'A refusal of a repeat settles nothing: the first attempt may have arrived.',
    killedBy: {
      [PROMISE]: 'sends no fallback once the text may have arrived: a refusal of the repeat settles nothing',
    },
  },
  {
    file: 'src/bot/outbox/outcome.ts',
    from: "if (result.error.outcome === 'unknown') return unknown(send, why, requestedWaitMs(result), rules)",
    to: '',
    breaks: 'A time-out is not a refusal: the same bytes are sent again under the same key.',
    killedBy: { [OUTCOME]: 'is unknown for a time-out, a reset and a 5xx: the same send is repeated, never a new one' },
  },
  {
    file: 'src/bot/outbox/outcome.ts',
    from: "if (stops !== undefined) return { as: 'postponed', ...why }",
    to: '',
    breaks: 'A number without a valid token holds its sends, and refuses none.',
    killedBy: { [OUTCOME]: 'is to hold the send at 401, 402 plan_feature_locked and 403 account_suspended' },
  },
  {
    file: 'src/bot/outbox/outcome.ts',
    from: 'Math.max(requestedWaitMs({ error }), atLeast',
    to: 'Math.min(requestedWaitMs({ error }), atLeast',
    breaks: 'A send waits at least as long as the answer requests.',
    killedBy: {
      [OUTCOME]:
        'is to wait at least as long as an answer requests, at most a minute, and never less than the back-off',
    },
  },
  {
    file: 'src/bot/outbox/record-send.ts',
    from: 'return `${key}:fallback`',
    to: 'return key',
    breaks: 'The fallback is sent under its own key.',
    killedBy: { [PROMISE]: 'sends the template under its own key if the window closes between check and send, once' },
  },
  {
    file: 'src/bot/outbox/record-send.ts',
    from: 'lane: `${number}/${customer}/out`',
    to: 'lane: `${number}/${customer}/out/${slot}`',
    breaks: 'Sends to one customer go out in order.',
    killedBy: {
      'test/bot/outbox/pacing.test.ts':
        'repeats an unknown outcome for ten minutes across a crash, and then continues with the next send',
    },
  },
  {
    file: 'src/bot/outbox/record-send.ts',
    from: 'const key = keyFrom(number, cause, slot)',
    to: 'const key = keyFrom(cause, slot)',
    breaks: 'Keys of two numbers are never equal.',
    killedBy: { 'test/journeys/sends.test.ts': 'is cancelled by its key, and the key is free again' },
  },
  {
    file: 'src/bot/outbox/send-worker.ts',
    from: 'if (!inDoubt && isInForce(takenOver, serviceNow) && takenOver.cause !== send.cause)',
    to: 'if (false)',
    breaks: 'A reply that waited while its customer was taken over is not sent.',
    killedBy: { 'test/bot/outbox/waiting-replies.test.ts': 'is not sent if a person has the customer by then' },
  },
  {
    file: 'src/bot/outbox/send-worker.ts',
    from: ' && takenOver.cause !== send.cause',
    to: '',
    breaks: 'A handler’s reply before its hand-over goes out, also if it had to wait.',
    killedBy: {
      'test/bot/outbox/waiting-replies.test.ts': 'is sent if it is of the handler that handed the customer over',
    },
  },
  {
    file: 'src/bot/outbox/tap-signature.ts',
    from: 'if (!spellings.some(isOf)) return undefined',
    to: '',
    breaks: 'A forged option’s id is not a tap.',
    killedBy: { [TAPS]: 'opens nothing for another customer, whatever their phone shows' },
  },
  {
    file: 'src/bot/outbox/tap-signature.ts',
    from: 'JSON.stringify([number, customer, id])',
    to: 'JSON.stringify([number, id])',
    breaks: 'An option that was sent to one customer is invalid for another.',
    killedBy: { [TAPS]: 'opens nothing for another customer, whatever their phone shows' },
  },
  {
    file: 'src/bot/outbox/outcome.ts',
    from: 'inARow - OUTAGE_AFTER + 1',
    to: 'inARow - OUTAGE_AFTER',
    breaks: 'Five failures in a row close a number.',
    killedBy: {
      'test/bot/outbox/throttle.test.ts':
        'is closed by the first 429, which limits the number, and by the fifth other failure in a row',
    },
  },
  {
    file: 'src/bot/outbox/customers.ts',
    from: 'open: now < closesAt',
    to: 'open: now <= closesAt',
    breaks: 'Exactly 24 hours after the customer’s last message the window is closed.',
    killedBy: { [WINDOW]: 'is open until 23:59:59.999 after the last message and closed at exactly 24 hours' },
  },
  {
    file: 'src/bot/outbox/customers.ts',
    from: 'open === false && !unread',
    to: 'open !== true && !unread',
    breaks: 'An unknown window does not send the template.',
    killedBy: { [WINDOW]: 'is free-form if the window is open, unknown, or a delivery waits unread' },
  },
  {
    file: 'src/client/transport.ts',
    from: 'if (!socket.connecting && !socket.secureConnecting) return connected()',
    to: 'return connected()',
    breaks: 'A request whose handshake fails was certainly not sent.',
    killedBy: { 'test/client/transport.test.ts': 'whose connection ends during the handshake was not sent' },
  },
  {
    file: 'src/client/transport.ts',
    from: "redirect: 'manual'",
    to: "redirect: 'follow'",
    breaks: 'A redirect does not send the token elsewhere.',
    killedBy: { 'test/client/send.test.ts': 'is not followed by a fetch and sends nothing' },
  },
  {
    file: 'src/client/transport.ts',
    from: 'settings.loopback && headers',
    to: 'headers',
    breaks: 'Only an emulator on this machine moves a clock.',
    killedBy: { 'test/client/send.test.ts': 'is adopted only on this machine' },
  },
  {
    file: 'src/client/api-errors.ts',
    from: "const known = notSent || call.method === 'GET'",
    to: 'const known = true',
    breaks: 'A send without an answer may have arrived.',
    killedBy: { 'test/client/no-answer.test.ts': 'ends the attempt after 30 s, with an unknown outcome' },
  },
  {
    file: 'src/client/refusal.ts',
    from: 'shortened(redact(text))',
    to: 'shortened(text)',
    breaks: 'An error shows nothing of the message that the service repeats.',
    killedBy: { 'test/client/canaries.test.ts': 'is in no error, however it is printed: an address that is signed' },
  },
  {
    file: 'src/client/key-from.ts',
    from: "const VERSION = 'sh1_'",
    to: "const VERSION = 'sh2_'",
    breaks: 'A key never changes between releases.',
    killedBy: {
      'test/client/key.test.ts': 'makes the same key as another program, and this one must never change',
    },
  },
  {
    file: 'src/service/one-time-code.ts',
    from: 'wireWith(named, CODE_WITHHELD)',
    to: 'wireWith(named, code)',
    breaks: 'Nothing prints a one-time code.',
    killedBy: { 'test/service/one-time-code.test.ts': 'is [code withheld], however it is printed' },
  },
  {
    file: 'src/service/content.ts',
    from: 'if (!isPublicHost(url.hostname))',
    to: 'if (false)',
    breaks: 'Media in a private network are refused before anything is sent.',
    killedBy: {
      'test/service/text-and-media.test.ts': 'refuses an address that is not public https: IPv6-mapped private',
    },
  },
  {
    file: 'src/service/tap-id.ts',
    from: '[MADE_BY_TAP]?: unknown })[MADE_BY_TAP] === id',
    to: '[MADE_BY_TAP]?: unknown })[MADE_BY_TAP] !== id',
    breaks: 'Only an option that `tap()` made is signed, whatever JSON a customer writes.',
    killedBy: { [TAPS]: 'is refused if it came from a text, however it is offered' },
  },
] satisfies Mutant[]
