import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/dispatch/customer-context.ts',
    from: '  await checkLane(running)\n',
    to: '',
    breaks: 'No handler begins while another process handles the message, however long a read for the handler took.',
    killedBy: { 'test/dispatch/lane-lost.test.ts': 'no handler begins behind a read that outlasted its lease' },
  },
  {
    file: 'src/dispatch/attempt.ts',
    from: 'checkLane(running).then(() => call(running))',
    to: 'call(running)',
    breaks: 'No error handler begins while another process handles the message.',
    killedBy: { 'test/dispatch/lane-lost.test.ts': 'no error handler begins behind a read that failed too late' },
  },
  {
    file: 'src/dispatch/lane-lost.ts',
    from: '  clock.check()\n',
    to: '',
    breaks: 'No script begins for an attempt that is over, beside the next attempt.',
    killedBy: { 'test/dispatch/lane-lost.test.ts': 'no script begins behind a read that outlasted its attempt' },
  },
  {
    file: 'src/dispatch/run-effect.ts',
    from: 'delivery: item.delivery.deliveryId,',
    to: '',
    breaks: 'The log of a send names the delivery that it answers.',
    killedBy: { 'test/journeys/sends.test.ts': 'names the delivery that it answers' },
  },
  {
    file: 'src/dispatch/frames.ts',
    from: '[...own, ...others]',
    to: '[...others, ...own]',
    breaks: 'An error’s frames begin with the app’s own.',
    killedBy: { 'test/dispatch/frames.test.ts': 'begin with the app’s own' },
  },
  {
    file: 'src/dispatch/pending.ts',
    from: '    large.set(delivery.seq, new Set(lanes))',
    to: '    large.set(delivery.seq, new Set())',
    breaks: 'A customer’s next message does not go before those of theirs in a batch.',
    killedBy: {
      'test/dispatch/batch.test.ts':
        'a customer’s next message does not go before those of theirs that are still in a batch',
    },
  },
  {
    file: 'src/dispatch/pending.ts',
    from: 'const underWay = () => [...large.keys()]',
    to: 'const underWay = (): readonly number[] => []',
    breaks: 'A batch that is being ingested is not read again by each claim.',
    killedBy: {
      'test/dispatch/batch.test.ts': 'while a batch is ingested, a hundred others are answered and handled',
    },
  },
  {
    file: 'src/dispatch/attempt-clock.ts',
    from: 'if (this.#over) throw this.#over',
    to: '',
    breaks: 'After its deadline an attempt has no effect.',
    killedBy: { 'test/dispatch/attempt-clock.test.ts': 'ends all effects' },
  },
  {
    file: 'src/dispatch/attempt-clock.ts',
    from: "if (this.#finished) throw new AttemptOver('it has ended')",
    to: '',
    breaks: 'What a handler left running has no effect after the handler has returned.',
    killedBy: { 'test/dispatch/attempt-clock.test.ts': 'ends all effects' },
  },
  {
    file: 'src/dispatch/attempt-clock.ts',
    from: 'this.#left = Math.max(0, this.#left - Math.max(0, this.#now() - this.#since))',
    to: 'this.#left = this.#left',
    breaks: 'The time that a handler has used before a reply counts towards its deadline.',
    killedBy: { 'test/dispatch/attempt-clock.test.ts': 'does not run while the attempt waits for a reply' },
  },
  {
    file: 'src/dispatch/attempt-clock.ts',
    from: 'Math.max(0, this.#now() - this.#since)',
    to: '(this.#now() - this.#since)',
    breaks: 'A clock that goes back gives a handler no time.',
    killedBy: {
      'test/dispatch/attempt-clock.test.ts':
        'is not put off by a clock that goes back: what hangs keeps its lane no longer for it',
    },
  },
  {
    file: 'src/dispatch/attempt-clock.ts',
    from: 'if (this.#waits++ === 0) {',
    to: 'if (false) {',
    breaks: 'Waiting inside a reply does not count towards the deadline.',
    killedBy: { 'test/dispatch/attempt-clock.test.ts': 'does not run while the attempt waits for a reply' },
  },
  {
    file: 'src/dispatch/dispatcher.ts',
    from: 'givesBack = true',
    to: '',
    breaks: 'An attempt that begins when the drain is over is given back.',
    killedBy: {
      'test/dispatch/stop.test.ts':
        'a stop whose time is over between the answer to a delivery and its handler gives the attempt back, and no handler starts',
    },
  },
  {
    file: 'src/dispatch/history.ts',
    from: '!unsaid.has(send.cause)',
    to: 'true',
    breaks: 'A reply stands behind the message that it answers.',
    killedBy: { 'test/journeys/history.test.ts': 'has what was said both ways, oldest first' },
  },
  {
    file: 'src/dispatch/failure.ts',
    from: 'join(BETWEEN_DIGITS)',
    to: "join('')",
    breaks: 'A customer’s number is masked in the log however it is written.',
    killedBy: { 'test/dispatch/failure.test.ts': 'an error shows neither the customer’s number' },
  },
  {
    file: 'src/dispatch/failure.ts',
    from: 'framesOf(error).map((frame) => redactFrame(frame, subject))',
    to: 'framesOf(error)',
    breaks: 'The stack of an error is masked like its text.',
    killedBy: { 'test/dispatch/failure.test.ts': 'an error shows neither the customer’s number' },
  },
  {
    file: 'src/dispatch/failure.ts',
    from: '.replaceAll(NUMBER, maskPhone)',
    to: '',
    breaks: 'The log of a failed attempt shows no number of another customer.',
    killedBy: { 'test/journeys/redaction.test.ts': 'is named in the log of each attempt' },
  },
  {
    file: 'src/dispatch/middleware.ts',
    from: 'return errorParts?.get(error) ?? part',
    to: 'return part',
    breaks: 'A failed attempt is logged with the route that threw.',
    killedBy: { 'test/journeys/redaction.test.ts': 'is named in the log of each attempt' },
  },
  {
    file: 'src/dispatch/failure.ts',
    from: 'if (item.attempt >= limits.max)',
    to: 'if (item.attempt > limits.max)',
    breaks: 'An item is given up after as many attempts as the option says.',
    killedBy: { 'test/dispatch/failure.test.ts': 'is given up after the last attempt, and after 24 hours' },
  },
  {
    file: 'src/dispatch/failure.ts',
    from: 'now + wait - item.createdAt > limits.withinMs',
    to: 'now - item.createdAt > limits.withinMs',
    breaks: 'No attempt comes later than attempts.within.',
    killedBy: { 'test/dispatch/failure.test.ts': 'that comes to no other attempt says why, even the first one' },
  },
  {
    file: 'src/dispatch/failure.ts',
    from: 'blocksLane: wait <= BLOCKS_LANE_MS',
    to: 'blocksLane: false',
    breaks: 'A short back-off keeps the order of a customer’s messages.',
    killedBy: {
      'test/dispatch/failure.test.ts': 'blocks its lane for a short wait, and lets the rest go on in a longer one',
    },
  },
  {
    file: 'src/dispatch/failure.ts',
    from: 'blocksLane: wait <= BLOCKS_LANE_MS',
    to: 'blocksLane: true',
    breaks: 'A long back-off lets the customer’s other messages go on.',
    killedBy: {
      'test/dispatch/failure.test.ts': 'blocks its lane for a short wait, and lets the rest go on in a longer one',
    },
  },
  {
    file: 'src/dispatch/failure.ts',
    from: 'if (verdict === undefined && isForGood(error))',
    to: 'if (false)',
    breaks: 'An error that another attempt would only repeat makes a dead letter at once.',
    killedBy: { 'test/dispatch/failure.test.ts': 'is given up at once if another attempt would only repeat it' },
  },
  {
    file: 'src/dispatch/reply.ts',
    from: "(deps.answersGuessed ? sure : confirmed).includes('customer')",
    to: "sure.includes('customer')",
    breaks: 'In production nothing is sent to a customer whose place nobody has confirmed.',
    killedBy: {
      'test/journeys/recipients.test.ts':
        'is nobody if only a guess says who wrote, and guesses are not answered: the delivery is kept, and nothing is sent',
    },
  },
  {
    file: 'src/dispatch/reply.ts',
    from: 'item.at + deps.staleAfterMs',
    to: 'deps.clock.service() + deps.staleAfterMs',
    breaks: 'A reply is too late so long after the message, not after the handler.',
    killedBy: { 'test/journeys/sends.test.ts': 'is recorded and not answered from staleAfter on' },
  },
  {
    file: 'src/dispatch/middleware.ts',
    from: 'return () => (gone ??= effects.begin(goOn))',
    to: 'return () => effects.begin(goOn)',
    breaks: 'next() goes on once, however often it is called.',
    killedBy: { 'test/journeys/routes.test.ts': 'goes on once, however often it calls next()' },
  },
  {
    file: 'src/dispatch/middleware.ts',
    from: 'entered.add(layer)',
    to: '',
    breaks: 'A middleware runs once for a message.',
    killedBy: {
      'test/journeys/routes.test.ts':
        'runs once for a message, from the outside in, before the routes that stand after it and before no other',
    },
  },
  {
    file: 'src/dispatch/middleware.ts',
    from: 'if (!running.errorParts.has(error)) ',
    to: '',
    breaks: 'An error belongs to the innermost part that it came out of.',
    killedBy: {
      'test/journeys/routes.test.ts':
        'is the inner route’s if the error comes out of next(), and the outer one’s if that throws one of its own',
    },
  },
  {
    file: 'src/dispatch/once.ts',
    from: 'if (known !== undefined) return unpackResult(known) as T',
    to: '',
    breaks: 'What once ran is not run again.',
    killedBy: {
      'test/journeys/handler-life.test.ts': 'gives its first result back to every rerun, and runs the effect once',
    },
  },
  {
    file: 'src/dispatch/once.ts',
    from: 'if (!(await clock.race(store.keepOnce(fence, item.id, name, packed)))) throw',
    to: `await clock.race(store.keepOnce(fence, item.id, name, packed))
  if (false) throw`,
    breaks: 'A result of `once` whose lane was lost is not handed on.',
    killedBy: {
      'test/dispatch/once.test.ts':
        'is handed on as JSON gives it back, and not at all if the lane was lost meanwhile: another attempt decides',
    },
  },
  {
    file: 'src/dispatch/once.ts',
    from: 'return unpackResult(packed) as T',
    to: 'return JSON.parse(packed) as T',
    breaks: 'The first run gets the result of `once` as every rerun does.',
    killedBy: {
      'test/dispatch/once.test.ts':
        'is handed on as JSON gives it back, and not at all if the lane was lost meanwhile: another attempt decides',
    },
  },
  {
    file: 'src/dispatch/run-event.ts',
    from: 'STATUS_ORDER.slice(0, place + 1)',
    to: '[status]',
    breaks: 'A handler of `delivered` hears of a message that was read, though `delivered` never came.',
    killedBy: { 'test/dispatch/run-event.test.ts': 'tells the handlers of all that it implies' },
  },
  {
    file: 'src/dispatch/run-event.ts',
    from: 'first.includes(route.status)',
    to: 'true',
    breaks: 'A handler of one status hears of a message once.',
    killedBy: { 'test/dispatch/run-event.test.ts': 'tells no handler again' },
  },
  {
    file: 'src/dispatch/run-event.ts',
    from: `.begun) throw new TooEarly()
  const reached`,
    to: `.begun && false) throw new TooEarly()
  const reached`,
    breaks: 'A status that comes before the answer to its send waits for it.',
    killedBy: { 'test/dispatch/run-event.test.ts': 'waits if it names no send' },
  },
  {
    file: 'src/dispatch/run-event.ts',
    from: 'if (running.completedHandlers.includes(route.id)) continue',
    to: '',
    breaks: 'A handler of an event that has finished does not run again for its neighbour’s failure.',
    killedBy: {
      'test/journeys/dispatch.test.ts':
        'gives each of several handlers its own progress: who has finished does not run again',
    },
  },
  {
    file: 'src/dispatch/run-event.ts',
    from: 'if (early > 0 && early <= SETTLES_MS) throw new TooEarly(early)',
    to: '',
    breaks: 'A message.sent that overtakes the answer to its own send is not taken for a person’s.',
    killedBy: { 'test/dispatch/run-event.test.ts': 'is judged no earlier than 30 s after it came' },
  },
  {
    file: 'src/dispatch/session.ts',
    from: 'if (forgotten || after === before) return undefined',
    to: 'if (after === before) return undefined',
    breaks: 'What a handler writes after it forgot the customer is not stored.',
    killedBy: { 'test/journeys/forget.test.ts': 'keeps no session that the handler changes after it forgot them' },
  },
  {
    file: 'src/dispatch/session.ts',
    from: 'now + rules.ttlMs',
    to: 'now + rules.ttlMs * 2',
    breaks: 'A session begins anew so long after its last change.',
    killedBy: {
      'test/journeys/sessions.test.ts': 'is the service’s: it begins anew so long after its last change, and no sooner',
    },
  },
  {
    file: 'src/dispatch/session.ts',
    from: 'stored.version === version || !migrate ? old',
    to: '!migrate || true ? old',
    breaks: 'A session of another version goes through migrate.',
    killedBy: { 'test/journeys/sessions.test.ts': 'goes through migrate first, which may answer at once' },
  },
  {
    file: 'src/dispatch/send-slots.ts',
    from: 'return `${route}/${kind}#${ordinal}`',
    to: 'return `${kind}#${ordinal}`',
    breaks: 'Two routes never share the name of a reply.',
    killedBy: {
      'test/journeys/routes.test.ts':
        'may have routes of the same pattern under names of their own, each with its own replies',
    },
  },
  {
    file: 'src/dispatch/send-slots.ts',
    from: 'once: (name: string) => `${route}/${name}`',
    to: 'once: (name: string) => name',
    breaks: 'Two routes never share the name of a once.',
    killedBy: {
      'test/journeys/handler-life.test.ts':
        'keeps the effects of two handlers of one event apart, though they go by one name',
    },
  },
  {
    file: 'src/dispatch/session-turns.ts',
    from: 'if (isInside(handling.getStore(), lane)) throw waitsForItself()',
    to: '',
    breaks: 'A handler that would wait for its own end is told so.',
    killedBy: { 'test/journeys/session-turns.test.ts': 'is refused in a handler of that customer' },
  },
  {
    file: 'src/dispatch/session-turns.ts',
    from: '|| isInside(inside.around, lane)',
    to: '',
    breaks: 'A change that would wait for a handler around another change is told so.',
    killedBy: { 'test/journeys/session-turns.test.ts': 'is refused within another change' },
  },
  {
    file: 'src/dispatch/dispatcher.ts',
    from: 'goOn && !sessionTurns.isAwaited(fence.lane)',
    to: 'goOn',
    breaks: 'A change of a session from outside goes before the next message.',
    killedBy: { 'test/journeys/session-turns.test.ts': 'loses nothing to the handler that runs' },
  },
  {
    file: 'src/dispatch/failure.ts',
    from: '[{ facts }, ...earlier].map(',
    to: '[{ facts }].map(',
    breaks: 'The log quotes no message of a burst.',
    killedBy: { 'test/journeys/bursts.test.ts': 'and without their texts' },
  },
  {
    file: 'src/dispatch/failure.ts',
    from: '.toSorted((one, two) => two.length - one.length)',
    to: '',
    breaks: 'The log quotes no part of a message.',
    killedBy: { 'test/journeys/bursts.test.ts': 'and without their texts' },
  },
  {
    file: 'src/dispatch/history.ts',
    from: 'if (lastOf.get(message.cause) === message) unsaid',
    to: 'unsaid',
    breaks: 'In a history a reply stands behind all that it answers.',
    killedBy: { 'test/dispatch/history.test.ts': 'no reply to a burst stands between its messages' },
  },
  {
    file: 'src/dispatch/dispatcher.ts',
    from: 'const awaited = sessionTurns.awaited()',
    to: 'const awaited: string[] = []',
    breaks: 'A change of a session that waits goes before the next item.',
    killedBy: { 'test/journeys/session-turns.test.ts': 'also if the database hears of a claim first' },
  },
  {
    file: 'src/dispatch/dispatcher.ts',
    from: 'lane !== undefined && sessionTurns.isAwaited(lane)',
    to: 'false && lane',
    breaks: 'A change of a session that waits goes before an item that comes behind it.',
    killedBy: { 'test/journeys/session-turns.test.ts': 'also if the database hears of that first' },
  },
  {
    file: 'src/dispatch/session-turns.ts',
    from: 'line.givesWay = line.left === 0',
    to: 'line.givesWay = false',
    breaks: 'A message waits for no change of a session that came behind it.',
    killedBy: { 'test/journeys/session-turns.test.ts': 'however many come' },
  },
  {
    file: 'src/dispatch/session-turns.ts',
    from: 'line.left = line.left > 0 ? line.left - 1 : line.waiting',
    to: 'line.left = 0',
    breaks: 'A change of a session that came before a message goes before it.',
    killedBy: { 'test/journeys/session-turns.test.ts': 'however many come' },
  },
  {
    file: 'src/dispatch/session-turns.ts',
    from: 'if (line.asking === 0 && !line.givesWay)',
    to: 'if (line.waiting === 0 && !line.givesWay)',
    breaks: 'A change of a session that lost its lane goes before the next message.',
    killedBy: { 'test/journeys/session-turns.test.ts': 'also if another process took the lane before its end' },
  },
  {
    file: 'src/dispatch/session-turns.ts',
    from: 'for (const next of line.behind.splice(0)) next()',
    to: '',
    breaks: 'At a stop nobody waits for a change of a session that does not end.',
    killedBy: { 'test/journeys/session-turns.test.ts': 'though the change before it does not end' },
  },
  {
    file: 'src/dispatch/observation.ts',
    from: 'return storeNow()',
    to: 'return Promise.resolve()',
    breaks: 'What was counted of payloads is stored at a stop.',
    killedBy: { 'test/dispatch/observation.test.ts': 'what was counted is stored at a stop' },
  },
  {
    file: 'src/dispatch/observation.ts',
    from: 'if (stopped) return',
    to: '',
    breaks: 'Nothing that comes behind the stop keeps the process alive.',
    killedBy: { 'test/dispatch/observation.test.ts': 'what comes after the stop leaves no timer behind' },
  },
  {
    file: 'src/dispatch/observation.ts',
    from: 'if (isNew && !soon)',
    to: 'if (true)',
    breaks: 'Deliveries of a known shape cost no write of their own.',
    killedBy: {
      'test/dispatch/observation.test.ts': 'a thousand deliveries of a known shape cost one write in a minute',
    },
  },
  {
    file: 'src/dispatch/run-conversation.ts',
    from: ' || open.waits?.dueAt !== due.dueAt',
    to: '',
    breaks: 'A timer that lost to an answer which did not fit does not end the question that waits on.',
    killedBy: {
      'test/journeys/conversations.test.ts':
        'is over for a timer that came due behind an answer: the conversation is at the same one, which waits longer',
    },
  },
  {
    file: 'src/dispatch/run-conversation.ts',
    from: ' && version <= compiled.definition.version',
    to: '',
    breaks: 'A process leaves a conversation of a newer script alone.',
    killedBy: {
      'test/journeys/conversation-processes.test.ts':
        'waits for a newer process for ten minutes, and is a changed one then: a later version, by a roll-back',
    },
  },
  {
    file: 'src/dispatch/run-conversation.ts',
    from: 'waited >= 0 && waited < NEWER_MAY_COME_MS',
    to: 'true',
    breaks: 'A conversation whose script is gone does not keep its customer waiting for ever.',
    killedBy: {
      'test/journeys/conversation-processes.test.ts':
        'waits for a newer process for ten minutes, and is a changed one then: another name',
    },
  },
  {
    file: 'src/dispatch/run-conversation.ts',
    from: ' || isMuted',
    to: '',
    breaks: 'While a person has the customer, the script takes no answer.',
    killedBy: {
      'test/journeys/conversations.test.ts': 'leaves the customer to the person who took over, and goes on afterwards',
    },
  },
  {
    file: 'src/dispatch/conversation.ts',
    from: 'if (texts.some(passesThrough)) return false',
    to: '',
    breaks: 'A word that passes through goes to the routes.',
    killedBy: {
      'test/journeys/conversations.test.ts': 'lets words through to the routes, and keeps its question open',
    },
  },
  {
    file: 'src/dispatch/conversation.ts',
    from: 'tries >= question.tries',
    to: 'tries > question.tries',
    breaks: 'A question has as many tries as it says.',
    killedBy: {
      'test/journeys/conversations.test.ts':
        'asks again after an answer that does not fit, in the question’s own words, and ends after its tries',
    },
  },
  {
    file: 'src/dispatch/conversation.ts',
    from: "definition.onChanged === 'end' && definition.onEnd",
    to: "definition.onChanged === 'end'",
    breaks: 'A message that meets a changed script is handled in every case.',
    killedBy: { 'test/journeys/conversations.test.ts': 'goes on by onChanged end (with onEnd: false): route' },
  },
  {
    file: 'src/dispatch/script.ts',
    from: 'dueAt: now + halt.of.timeoutMs',
    to: 'dueAt: undefined',
    breaks: 'A question that nobody answers ends.',
    killedBy: {
      'test/journeys/conversations.test.ts':
        'ends a question that nobody answers, also over a restart, and not while the script sleeps',
    },
  },
  {
    file: 'src/dispatch/script.ts',
    from: 'void (await sayAs(String(step), content, o,',
    to: 'void (await sayAs(`${step}${running.item.attempt}`, content, o,',
    breaks: 'What a script says goes out once, however often it runs.',
    killedBy: {
      'test/journeys/conversations.test.ts':
        'is repeated as a handler is, says nothing twice, and the customer never notices',
    },
  },
  {
    file: 'src/dispatch/attempt.ts',
    from: 'settlement.blocksLane || Boolean(inScript ?? conversations)',
    to: 'settlement.blocksLane',
    breaks: 'An answer that is tried again is not overtaken by the next message.',
    killedBy: {
      'test/journeys/conversation-failures.test.ts':
        'is not overtaken by the next message, however long its back-off is [F-55]',
    },
  },
  {
    file: 'src/dispatch/attempt.ts',
    from: 'running.inScript = await conversationOf(running, deps)',
    to: '',
    breaks: 'A conversation ends with the item that brought its process down each time.',
    killedBy: {
      'test/journeys/conversation-failures.test.ts':
        'ends as failed, and is not stuck: when its sleep is over [F-55, F-65]',
    },
  },
  {
    file: 'src/dispatch/script.ts',
    from: "if (reached.as !== 'finished') running.inScript = held",
    to: '',
    breaks: 'A conversation whose next question the customer has already got ends with its attempt.',
    killedBy: {
      'test/journeys/conversation-failures.test.ts':
        'ends the conversation as failed though the script had gone on to the next question by then [F-55]',
    },
  },
  {
    file: 'src/dispatch/script.ts',
    from: ".via !== 'skipped'",
    to: ".via !== 'none'",
    breaks: 'A message is no answer to a question that was not sent.',
    killedBy: {
      'test/journeys/conversation-failures.test.ts':
        'is sent when the customer writes after a message that was stale [F-55]',
    },
  },
  {
    file: 'src/dispatch/conversation.ts',
    from: 'kept === undefined || kept.version === conversation.version',
    to: 'true',
    breaks: 'A script that was deployed anew does not go on over what another one kept as it began.',
    killedBy: {
      'test/journeys/conversation-failures.test.ts':
        'a conversation begins anew if a deploy changed its version while it was being entered [F-55]',
    },
  },
  {
    file: 'src/dispatch/script.ts',
    from: '  running.inScript = held\n  const result',
    to: '  const result',
    breaks: 'A script that is given up ends its conversation.',
    killedBy: {
      'test/journeys/conversations.test.ts':
        'ends the conversation as failed when it is given up, and the routes have the next message',
    },
  },
  {
    file: 'src/dispatch/conversation.ts',
    from: 'if (isOldTap(halt, messages, held, running, deps)) return false',
    to: '',
    breaks: 'A double tap does not answer the next question too.',
    killedBy: {
      'test/journeys/conversations.test.ts':
        'takes a double tap for one, though the next question has an option of that id',
    },
  },
  {
    file: 'src/dispatch/failure.ts',
    from: '(?<=["\'\\`“‘])',
    to: '(?<=[“‘])',
    breaks: 'A value that says what the customer wrote is not shown, be it an ordinary word.',
    killedBy: { 'test/dispatch/failure.test.ts': 'shows no value that says the same' },
  },
  {
    file: 'src/dispatch/failure.ts',
    from: '!OWN_WORDS.has(message.toLowerCase())',
    to: 'true',
    breaks: 'An error of the library is understood whatever the customer wrote.',
    killedBy: { 'test/dispatch/failure.test.ts': 'keeps its own words' },
  },
  {
    file: 'src/dispatch/dispatcher.ts',
    from: 'deps.begins && !read',
    to: '!read',
    breaks: 'A process that only receives begins nothing that it stores.',
    killedBy: { 'test/journeys/roles.test.ts': 'stores and answers, and leaves what it stored to a worker' },
  },
  {
    file: 'src/dispatch/spans.ts',
    from: 'const links = [failedTrace, ...',
    to: 'const links = [...',
    breaks: 'A rerun names the attempt that failed before it.',
    killedBy: { 'test/journeys/tracing.test.ts': 'has each rerun' },
  },
  {
    file: 'src/dispatch/spans.ts',
    from: 'error === undefined ? undefined : redactError(error, item)',
    to: 'error === undefined ? undefined : (error as Error)',
    breaks: 'No span of a failed attempt shows a customer.',
    killedBy: { 'test/journeys/tracing.test.ts': 'has each rerun' },
  },
  {
    file: 'src/dispatch/run-message.ts',
    from: 'running.route ??= route.id',
    to: 'running.route = route.id',
    breaks: 'Hooks hear of the first route that took a message.',
    killedBy: { 'test/journeys/observed-work.test.ts': 'is the first route that took the message' },
  },
  {
    file: 'src/dispatch/pending.ts',
    from: 'await o.rules.learn?.(deliveries.map(({ subscription }) => subscription))',
    to: '',
    breaks: 'A process that works knows whose delivery it reads, also if it never heard of the number.',
    killedBy: {
      'test/app/number-source.test.ts': 'ask each for themselves: one that works finds out whose delivery it reads',
    },
  },
  {
    file: 'src/dispatch/failure.ts',
    from: 'error instanceof SwitchhookError && { docs: error.docs }',
    to: '{ docs: (error as SwitchhookError).docs }',
    breaks: 'The log shows no member of an error that the app made: it may hold anything.',
    killedBy: {
      'test/dispatch/failure.test.ts': 'is logged with the section of the docs about it, and no other has one',
    },
  },
] satisfies Mutant[]
