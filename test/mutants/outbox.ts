import type { Mutant } from './driver/mutant.ts'

export default [
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
    file: 'src/outbox/doubts.ts',
    from: 'if (known !== undefined) return clock.monotonic() - known',
    to: 'if (known !== undefined) return now - (attemptingSince ?? now)',
    breaks: 'A wall clock that leaps ahead does not end the repeats of a send in doubt.',
    killedBy: { 'test/outbox/doubts.test.ts': 'are ten minutes, although the wall clock leaps two hours ahead' },
  },
  {
    file: 'src/outbox/one-time-codes.ts',
    from: 'body: withheld,',
    to: 'body,',
    breaks: 'A one-time code is never on disk.',
    killedBy: { 'test/journeys/redaction.test.ts': 'shows a one-time code nowhere, not even on the disk' },
  },
  {
    file: 'src/outbox/one-time-codes.ts',
    from: "if (settlement.as === 'held') return { ...settlement, as: 'refused' }",
    to: '',
    breaks: 'A code of a stopped number is refused: no code waits for a person.',
    killedBy: {
      'test/outbox/one-time-codes.test.ts': 'is refused if the number is stopped, since no code waits for a person',
    },
  },
  {
    file: 'src/outbox/one-time-codes.ts',
    from: 'if (timeLeft(send, deps) > 0) continue',
    to: 'if (timeLeft(send, deps) > -1e12) continue',
    breaks: 'A code is not attempted once it has expired.',
    killedBy: {
      'test/outbox/one-time-codes.test.ts':
        'is not attempted once it has expired, though the machine slept in the middle of a pause',
    },
  },
  {
    file: 'src/outbox/one-time-codes.ts',
    from: 'await pauseWhileLimited(send, deps)',
    to: '',
    breaks: 'A 429 limits the number and not the code: a few ask for all.',
    killedBy: {
      'test/outbox/one-time-codes.test.ts':
        'asks again with the others of its number, which is limited and not the code: a few ask for all',
    },
  },
  {
    file: 'src/outbox/one-time-codes.ts',
    from: 'timingSafeEqual(one.mac, macOf(body)) ? one.result : undefined',
    to: 'one.result',
    breaks: 'Another code under a key that is used is refused, and not taken for sent.',
    killedBy: {
      'test/outbox/one-time-codes.test.ts':
        'is refused if another one went out under its key, and given the result of the first if it is the same',
    },
  },
  {
    file: 'src/outbox/one-time-codes.ts',
    from: 'const GENERATIONS = [1, 2, 3]',
    to: 'const GENERATIONS = [1, 2, 3, 4]',
    breaks: 'At most three codes go out under one key.',
    killedBy: {
      'test/outbox/one-time-codes.test.ts':
        'has at most two after it under the same key, each after one that was refused',
    },
  },
  {
    file: 'src/outbox/outcome.ts',
    from: 'inDoubt && !replayed && !isSurelyOnce(send, rules)',
    to: 'inDoubt && !replayed',
    breaks: 'A send that is surely once is not marked.',
    killedBy: {
      'test/outbox/outcome.test.ts': 'marks what may be twice, and not what is surely once: a repeat within 24 h',
    },
  },
  {
    file: 'src/outbox/outcome.ts',
    from: 'inDoubt && !replayed && !isSurelyOnce(send, rules)',
    to: 'false',
    breaks: 'A second acceptance that may be a second message is marked.',
    killedBy: { 'test/outbox/outcome.test.ts': 'marks what may be twice, and not what is surely once: one after that' },
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
    from: 'send.attempts >= CAUTIOUS_ATTEMPTS',
    to: 'send.attempts > CAUTIOUS_ATTEMPTS',
    breaks: '502 send_failed is tried once more, and then refused.',
    killedBy: {
      'test/outbox/outcome.test.ts':
        'takes 502 send_failed as not sent: one more attempt after two seconds, then refused',
    },
  },
  {
    file: 'src/outbox/outcome.ts',
    from: 'Math.min(result.error.retryAfterMs ?? 0, LONGEST_WAIT_MS)',
    to: 'result.error.retryAfterMs ?? 0',
    breaks: 'An answer that asks for a wait gets a minute at most.',
    killedBy: {
      'test/outbox/outcome.test.ts':
        'waits at least as long as an answer asks, a minute at most, and never less than the back-off',
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
    file: 'src/outbox/outcome.ts',
    from: "typeof message.wa_message_id === 'string' ? message.wa_message_id : undefined",
    to: 'undefined',
    breaks: 'The upstream id of an acceptance is kept, so that statuses by that id find their send.',
    killedBy: { 'test/outbox/outcome.test.ts': 'takes 200 as accepted, with both ids' },
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
    file: 'src/outbox/record-send.ts',
    from: '{ number, customer }, dueAt ?? now)',
    to: '{ number, customer }, now)',
    breaks: 'An option expires so long after it goes out, not after it was recorded.',
    killedBy: { 'test/journeys/taps.test.ts': 'begins when it goes out, not when it was written for later' },
  },
  {
    file: 'src/outbox/record-send.ts',
    from: 'if (opened.diverged) reportOrRefuseDivergence(intent, opened, deps)',
    to: '',
    breaks: 'A rerun that says something else under a recorded key is refused in development.',
    killedBy: {
      'test/journeys/reply.test.ts':
        'tells of a rerun that says something else: in development as an error, with the way out',
    },
  },
  {
    file: 'src/outbox/record-send.ts',
    from: '!mayBeMended || carriesCode(request, rows)',
    to: '!mayBeMended',
    breaks: 'A template for codes is refused as a fallback in production too.',
    killedBy: {
      'test/outbox/one-time-codes.test.ts':
        'is never kept as a fallback: refused in production too, before anything is recorded',
    },
  },
  {
    file: 'src/outbox/record-send.ts',
    from: 'masked.replaceAll(digits, maskPhone(digits))',
    to: 'masked',
    breaks: 'A diverging slot shows no phone number in the log.',
    killedBy: {
      'test/journeys/redaction.test.ts':
        'shows nobody whom it was said to, in the error and the log, be it by ctx.to or by a key of the app’s',
    },
  },
  {
    file: 'src/outbox/attempt-send.ts',
    from: "(send.via === 'template' && send.fallback?.body) || send.body",
    to: 'send.body',
    breaks: 'The fallback goes out with its own bytes.',
    killedBy: {
      'test/outbox/promise.test.ts':
        'sends the template under a key of its own if the window closes between check and send, once',
    },
  },
  {
    file: 'src/outbox/attempt-send.ts',
    from: 'idempotencyKey: fallback?.key ?? send.key',
    to: 'idempotencyKey: send.key',
    breaks: 'The fallback goes out under its own key.',
    killedBy: {
      'test/outbox/promise.test.ts':
        'sends the template under a key of its own if the window closes between check and send, once',
    },
  },
  {
    file: 'src/outbox/send-worker.ts',
    from: "if (!inDoubt && isInForce(mute, serviceNow) && mute.why === 'agent') return UNWANTED",
    to: '',
    breaks: 'A reply that waited while its customer typed BOT is not sent.',
    killedBy: {
      'test/outbox/mute.test.ts':
        'is not sent any more when the number’s throttle opens: it would pause the agent again',
    },
  },
  {
    file: 'src/outbox/send-worker.ts',
    from: 'if (!inDoubt && isInForce(mute',
    to: 'if (isInForce(mute',
    breaks: 'A reply that may have arrived is repeated though its customer typed BOT since.',
    killedBy: { 'test/outbox/mute.test.ts': 'is repeated all the same if it may have arrived' },
  },
  {
    file: 'src/outbox/send-worker.ts',
    from: "{ as: inDoubt ? 'attempting' : 'ready', at: now + LONGEST_WAIT_MS, ...FORBIDDEN }",
    to: "{ as: 'ready', at: now + LONGEST_WAIT_MS, ...FORBIDDEN }",
    breaks: 'A send in doubt stays in doubt while the list of allowed recipients holds it.',
    killedBy: {
      'test/outbox/recipients.test.ts': 'holds for repeats too: a send whose outcome is unknown stays unknown',
    },
  },
  {
    file: 'src/outbox/send-worker.ts',
    from: 'return throttle && throttle.closedUntil > OPEN ? { ...throttle, closedUntil: PROBE_NOW } : undefined',
    to: 'return undefined',
    breaks: 'A probe that is not attempted is left to another send.',
    killedBy: {
      'test/outbox/pacing.test.ts': 'asks once a minute through an outage of an hour, and then drains what waits',
    },
  },
  {
    file: 'src/outbox/send.ts',
    from: "if (failed && (reached === undefined || reached === 'sent')) return 'failed'",
    to: "if (failed) return 'failed'",
    breaks: 'A message that arrived is not shown as failed.',
    killedBy: { 'test/outbox/send.test.ts': 'is failed if nothing above sent is known, and not if it did arrive' },
  },
  {
    file: 'src/outbox/takeover.ts',
    from: 'requireLane(await store.mute({ ...who, endsAt: clock.service() }, fence))',
    to: 'requireLane(await store.mute({ ...who, endsAt: clock.service() }))',
    breaks: 'An attempt that lost its lane does not let the bot speak again.',
    killedBy: {
      'test/outbox/takeover.test.ts':
        'hands no customer over, does not let the bot speak again and forgets nobody: each is asked for with its fence',
    },
  },
  {
    file: 'src/outbox/takeover.ts',
    from: 'requireLane(await store.forget(who, clock.wall(), fence))',
    to: 'await store.forget(who, clock.wall(), fence)',
    breaks: 'An attempt that lost its lane hears that it forgot nobody.',
    killedBy: {
      'test/outbox/takeover.test.ts':
        'hands no customer over, does not let the bot speak again and forgets nobody: each is asked for with its fence',
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
    from: 'JSON.stringify([number, customer, id])',
    to: 'JSON.stringify([number, id])',
    breaks: 'An option that was sent to one customer is worth nothing in the hands of another.',
    killedBy: {
      'test/journeys/taps.test.ts': 'opens nothing for another customer, whatever the phone of that one shows',
    },
  },
  {
    file: 'src/outbox/tap-signature.ts',
    from: 'withIssueTime(value, issued)',
    to: 'withIssueTime(value, 0)',
    breaks: 'An option expires so long after it was sent.',
    killedBy: {
      'test/journeys/taps.test.ts': 'may carry an option’s id as its payload, sent at once or as the fallback',
    },
  },
  {
    file: 'src/outbox/templates.ts',
    from: 'known && !asWanted(known) ? askedFor.has(name) :',
    to: 'false ? askedFor.has(name) :',
    breaks: 'A template that the list speaks against is asked for again before it is refused.',
    killedBy: { 'test/outbox/templates.test.ts': 'is asked for again before it is refused' },
  },
  {
    file: 'src/outbox/templates.ts',
    from: 'if (wanted !== given)',
    to: 'if (wanted < given)',
    breaks: 'A template with fewer parameters than its text takes is refused before it is recorded.',
    killedBy: {
      'test/outbox/templates.test.ts': 'is refused if it takes more than was given, and nothing is recorded',
    },
  },
  {
    file: 'src/outbox/throttle.ts',
    from: 'if (changedMeanwhile && throttle !== undefined && throttle.closedUntil > OPEN) return undefined',
    to: '',
    breaks: 'Trouble that many sends met at once counts as one.',
    killedBy: {
      'test/outbox/pacing.test.ts': 'counts trouble that many sends met at once as one, and waits a second for it',
    },
  },
  {
    file: 'src/outbox/throttle.ts',
    from: 'if (throttle?.stopped) return { ...throttle, closedUntil: rules.now + PROBE_EVERY_MS }',
    to: '',
    breaks: 'A stopped number stays stopped while its probes meet trouble.',
    killedBy: {
      'test/outbox/throttle.test.ts': 'stays stopped while its probes meet trouble, and is probed again in a minute',
    },
  },
  {
    file: 'src/outbox/throttle.ts',
    from: "throttle === undefined || changedMeanwhile ? undefined : 'resumed'",
    to: "throttle === undefined ? undefined : 'resumed'",
    breaks: 'An attempt that began before a number was closed does not open it again.',
    killedBy: {
      'test/outbox/throttle.test.ts':
        'is opened by a success or a refusal that only its own send can mend, if the attempt began after it was closed',
    },
  },
  {
    file: 'src/outbox/throttle.ts',
    from: 'result.error.status === 429',
    to: 'false',
    breaks: 'The first 429 already paces its number.',
    killedBy: {
      'test/outbox/pacing.test.ts': 'paces the whole number from its first 429 on',
      'test/outbox/throttle.test.ts':
        'is closed by the first 429, which limits the number, and by the fifth other answer of trouble in a row',
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
    from: 'closed && !unread && send.fallback',
    to: 'closed && send.fallback',
    breaks: 'While a delivery waits unread, a reply goes out free-form: the message in it may have opened the window.',
    killedBy: {
      'test/outbox/window.test.ts': 'takes the free-form if the window is open, unknown, or a delivery waits unread',
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
    file: 'src/outbox/doubts.ts',
    from: ' && send.withheld)',
    to: ')',
    breaks: 'In the literal reading a repeat may be a second copy, but for a one-time code.',
    killedBy: {
      'test/journeys/key-memory.test.ts':
        'a reply whose answer was lost comes once more at most, and is marked if it may',
    },
  },
  {
    file: 'src/outbox/doubts.ts',
    from: " || (keysRememberedFor === 'literal' && send.withheld)",
    to: '',
    breaks: 'In the literal reading a repeated one-time code is surely once.',
    killedBy: {
      'test/outbox/outcome.test.ts':
        'marks what may be twice, and not what is surely once: a one-time code by the letter',
    },
  },
  {
    file: 'src/outbox/send-worker.ts',
    from: 'deps.begins ? {',
    to: 'true ? {',
    breaks: 'A process that only receives sends nothing that it records.',
    killedBy: { 'test/journeys/roles.test.ts': 'records what the app sends, and its call has the answer' },
  },
  {
    file: 'src/outbox/settled-row.ts',
    from: 'marksRepeated && send.attempts > 1',
    to: 'marksRepeated',
    breaks: 'A hook hears of a send as the store has it.',
    killedBy: { 'test/outbox/settled-row.test.ts': 'is reported as the store has it then' },
  },
  {
    file: 'src/outbox/record-send.ts',
    from: "if (!(error instanceof SwitchhookError && error.code === 'number_unavailable')) throw error",
    to: 'throw error',
    breaks: 'A send of a number that cannot be told now is recorded, and waits.',
    killedBy: { 'test/app/number-source.test.ts': 'sends of a number that was never heard of are recorded and wait' },
  },
] satisfies Mutant[]
