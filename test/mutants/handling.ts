import type { Mutant } from './driver/mutant.ts'

const LEASE = 'test/bot/lanes/lease.test.ts'
const ROUTES = 'test/journeys/routes.test.ts'
const CONVERSATIONS = 'test/journeys/conversations.test.ts'
const CONVERSATION_FAILURES = 'test/journeys/conversation-failures.test.ts'
const SCRIPT_RUN = 'test/bot/work/script-run.test.ts'

/** Handlers, once and in order: lanes, leases, attempts, conversations, timers, bursts. */
export default [
  {
    file: 'src/bot/routes/table.ts',
    from: '(content === undefined || message[content] !== undefined)',
    to: 'true',
    breaks: 'A handler of pictures runs only for a message with the address of a picture.',
    killedBy: { 'test/bot/routes/received.test.ts': 'and none without it, whatever its payload calls it' },
  },
  {
    file: 'src/store/rules/items.ts',
    from: 'item.wasRunning && item.attempts >= SUSPICIOUS_ATTEMPTS',
    to: 'item.attempts >= SUSPICIOUS_ATTEMPTS',
    breaks: 'An item whose handlers failed is not a suspect.',
    killedBy: { 'test/store/sqlite.test.ts': 'runs one item of a lane at a time' },
  },
  {
    file: 'src/store/work/settle.ts',
    from: "as === 'released' ? 1 : 0",
    to: '0',
    breaks: 'An attempt that an orderly stop releases does not count.',
    killedBy: { 'test/store/sqlite.test.ts': 'counts no attempt that an orderly stop releases' },
  },
  {
    file: 'src/store/work/settle.ts',
    from: 'settlement.blocksLane === true || ',
    to: '',
    breaks: 'A short back-off blocks its lane.',
    killedBy: {
      'test/store/sqlite.test.ts':
        'lets no straggler before an item that has begun: in the back-off that blocks the lane, and after its process is gone',
    },
  },
  {
    file: 'src/store/rules/items.ts',
    from: "asked.by === 'agent' && asked.since < Math.max(known?.since ?? 0, resumedAt ?? 0)",
    to: 'false',
    breaks: 'A late BOT does not undo later messages.',
    killedBy: {
      'test/store/rules/throttles-and-takeovers.test.ts':
        'an older BOT that comes late changes nothing once the app has taken the customer back',
    },
  },
  {
    file: 'src/store/rules/items.ts',
    from: 'messages >= maxMessages',
    to: 'messages > maxMessages',
    breaks: 'A burst has no more messages than its limit.',
    killedBy: { 'test/store/sqlite.test.ts': 'are sealed when they are full' },
  },
  {
    file: 'src/bot/lanes/lease.ts',
    from: 'const RENEW_EVERY_MS = 3_000',
    to: 'const RENEW_EVERY_MS = 11_000',
    breaks: 'A lease is renewed three times before it could expire.',
    killedBy: { [LEASE]: 'is renewed every three seconds, and so never nearly over while the process lives' },
  },
  {
    file: 'src/bot/lanes/polling.ts',
    from: "if (this.#mode === 'polling') this.#mode = 'polling again'",
    to: '',
    breaks: 'A wake-up in the middle of a poll is not lost.',
    killedBy: { 'test/bot/lanes/runner.test.ts': 'lose no wake-up that comes in the middle of a poll' },
  },
  {
    file: 'src/store/rules/room.ts',
    from: 'return (taken.get(number) ?? 0) >= SHARE * free',
    to: 'return Number.isNaN(taken.size + free + number.length)',
    breaks: 'One number leaves room for the others.',
    killedBy: { 'test/bot/lanes/room.test.ts': 'leaves an eighth free for other numbers' },
  },
  {
    file: 'src/bot/work/context.ts',
    from: '  await checkLease(running)\n',
    to: '',
    breaks: 'No handler begins while another process handles the message, however long a read for the handler took.',
    killedBy: { 'test/bot/work/lease-lost.test.ts': 'no handler begins behind a read that outlasted its lease' },
  },
  {
    file: 'src/bot/inbox/ingest.ts',
    from: 'if (!large) this.#readForClaim.push(subscription)',
    to: 'this.#readForClaim.push(subscription)',
    breaks: 'A customer’s next message does not go before those of theirs in a delivery that is pending.',
    killedBy: { 'test/bot/work/batch.test.ts': 'a delivery whose messages take several commits is handled whole' },
  },
  {
    file: 'src/bot/work/attempt-clock.ts',
    from: 'if (this.#over) throw this.#over',
    to: '',
    breaks: 'After its deadline an attempt has no effect.',
    killedBy: { 'test/bot/work/attempt-clock.test.ts': 'ends all effects' },
  },
  {
    file: 'src/bot/work/attempt-clock.ts',
    from: "if (this.#finished) throw new AttemptOver('it has ended')",
    to: '',
    breaks: 'Unawaited work of a handler has no effect after the handler has returned.',
    killedBy: { 'test/bot/work/attempt-clock.test.ts': 'ends all effects' },
  },
  {
    file: 'src/base/mask.ts',
    from: 'join(BETWEEN_DIGITS)',
    to: "join('')",
    breaks: 'A customer’s number is masked in the log however it is written.',
    killedBy: { 'test/bot/work/failure.test.ts': 'an error shows neither the customer’s number' },
  },
  {
    file: 'src/bot/work/failure.ts',
    from: 'if (item.attempt >= limits.max)',
    to: 'if (item.attempt > limits.max)',
    breaks: 'An item is given up after as many attempts as the option says.',
    killedBy: { 'test/bot/work/failure.test.ts': 'is given up after the last attempt, and after 24 hours' },
  },
  {
    file: 'src/bot/work/attempt-effects.ts',
    from: 'item.at + running.deps.staleAfterMs',
    to: 'running.deps.clock.service() + running.deps.staleAfterMs',
    breaks: 'A reply is too late by the age of the message, not of the handler.',
    killedBy: { 'test/journeys/sends.test.ts': 'is recorded and not answered after staleAfter' },
  },
  {
    file: 'src/bot/work/attempt-effects.ts',
    from: 'if (known !== undefined) return unpackResult(known) as T',
    to: '',
    breaks: 'A finished once is not run again.',
    killedBy: {
      'test/journeys/handler-life.test.ts': 'returns its first result to every rerun, and runs the effect once',
    },
  },
  {
    file: 'src/bot/work/attempt-effects.ts',
    from: 'if (!(await clock.race(store.keepOnce(fence, item.id, name, packed)))) throw',
    to: `await clock.race(store.keepOnce(fence, item.id, name, packed))
  if (false) throw`,
    breaks: 'A result of `once` whose item was freed is not returned.',
    killedBy: {
      'test/bot/work/once.test.ts':
        'is handed on as JSON gives it back, and not at all if the item was freed meanwhile: another attempt decides',
    },
  },
  {
    file: 'src/bot/work/run-event.ts',
    from: 'first.includes(route.status)',
    to: 'true',
    breaks: 'A handler of one status runs once for a message.',
    killedBy: { 'test/bot/work/run-event.test.ts': 'tells no handler again' },
  },
  {
    file: 'src/bot/work/run-event.ts',
    from: `.attempting) throw new TooEarly()
  const reached`,
    to: `.attempting && false) throw new TooEarly()
  const reached`,
    breaks: 'A status that arrives before the answer to its send waits for it.',
    killedBy: { 'test/bot/work/run-event.test.ts': 'waits if it names no send' },
  },
  {
    file: 'src/store/work/processes.ts',
    from: "(yield* runState(fence)) === 'running'",
    to: "['running', 'forgetting'].includes((yield* runState(fence)) ?? '')",
    breaks: 'A session that a handler changes after forgetting the customer is not stored.',
    killedBy: { 'test/journeys/forget.test.ts': 'keeps no session that the handler changes after forgetting them' },
  },
  {
    file: 'src/store/rules/items.ts',
    from: 'if (changed.some((key)',
    to: 'if (!changed.some((key)',
    breaks: 'A handler keeps no change of a key that was changed from outside meanwhile.',
    killedBy: { 'test/store/sqlite.test.ts': 'adds the change of a settlement to what was written meanwhile' },
  },
  {
    file: 'src/bot/work/attempt-effects.ts',
    from: 'return `${route}/${kind}#${ordinal}`',
    to: 'return `${kind}#${ordinal}`',
    breaks: 'Two routes never share the name of a reply.',
    killedBy: { [ROUTES]: 'may have routes of the same pattern under their own names, each with its own replies' },
  },
  {
    file: 'src/bot/work/conversations.ts',
    from: 'if (!isA(error, OutsideWindow)) throw error',
    to: 'throw error',
    breaks: 'A reminder that the window does not allow ends no conversation.',
    killedBy: {
      'test/journeys/script-reminders.test.ts':
        'needs a template once the window is closed; without one it is left out, and the question stays open',
    },
  },
  {
    file: 'src/bot/work/conversations.ts',
    from: ' && halt.question.remind && isAsked',
    to: ' && halt.question.remind',
    breaks: 'Nobody is reminded of a question that was not sent.',
    killedBy: { 'test/journeys/script-reminders.test.ts': 'is not sent for a question that was not' },
  },
  {
    file: 'src/bot/work/conversations.ts',
    from: ' || isInForce(takenOver, running.deps.clock.service())',
    to: '',
    breaks: 'The word BOT is no answer to an open question.',
    killedBy: { 'test/journeys/takeover.test.ts': 'does not answer an open question by BOT' },
  },
  {
    file: 'src/bot/work/run-message.ts',
    from: 'return arrivedMeanwhile || isInForce',
    to: 'return isInForce',
    breaks: 'Messages that arrived during a take-over are not handled afterwards.',
    killedBy: { 'test/journeys/takeover.test.ts': 'is not answered afterwards for what waited for its turn meanwhile' },
  },
  {
    file: 'src/bot/work/run-message.ts',
    from: ' || takenOver.cause === cause',
    to: '',
    breaks: 'The handler that hands over runs to its end.',
    killedBy: {
      'test/journeys/takeover.test.ts': 'has the handler that handed over run to its end, if it fails after that',
    },
  },
  {
    file: 'src/store/hand-over.ts',
    from: '  yield* moveTimers(asked, prolongedBy(known, after, asked.since))\n',
    to: '',
    breaks: 'A question stays open for as much longer as its customer is taken over.',
    killedBy: {
      'test/store/sqlite.test.ts':
        'keeps a question open for as long as its customer is taken over, by one person after another',
    },
  },
  {
    file: 'src/bot/work/conversations.ts',
    from: "definition.onChanged === 'end' && definition.onEnd",
    to: "definition.onChanged === 'end'",
    breaks: 'A message that meets a changed script is handled in every case.',
    killedBy: { [CONVERSATIONS]: 'continues by onChanged end (with onEnd: false): route' },
  },
  {
    file: 'src/bot/work/conversations.ts',
    from: 'void (await sayAs(String(step), content, o,',
    to: 'void (await sayAs(`${step}${running.item.attempt}`, content, o,',
    breaks: 'A script’s message is sent once, however often it runs.',
    killedBy: { [CONVERSATIONS]: 'is repeated like a handler, sends nothing twice, and the customer never notices' },
  },
  {
    file: 'src/bot/work/attempt.ts',
    from: 'settlement.blocksLane || Boolean(inScript ?? conversations)',
    to: 'settlement.blocksLane',
    breaks: 'An answer that is retried is not overtaken by the next message.',
    killedBy: { [CONVERSATION_FAILURES]: 'is not overtaken by the next message, however long its back-off is [F-55]' },
  },
  {
    file: 'src/bot/work/replay.ts',
    from: 'known.kind === asked.kind && known.name === asked.name',
    to: 'true',
    breaks: 'A changed script does not continue over the journal of another.',
    killedBy: { [SCRIPT_RUN]: 'is noticed by a sleep in the place of the question, before it does anything' },
  },
  {
    file: 'src/bot/work/replay.ts',
    from: '        this.fail(error)\n        return await never()',
    to: '        this.fail(error)\n        throw error',
    breaks: 'A script does not see an effect fail.',
    killedBy: { [SCRIPT_RUN]: 'does not see an effect fail: the run fails, and the next one begins the effect again' },
  },
  {
    file: 'src/bot/work/question.ts',
    from: "if (tapped && chosen === undefined) return { as: 'elsewhere' }",
    to: '',
    breaks: 'A tap on an option of an older question is not an answer.',
    killedBy: { 'test/bot/work/answer.test.ts': 'is an option of an older question' },
  },
  {
    file: 'src/store/conversations.ts',
    from: `yield* removeTimer(timerOf(id, who))
    yield* execute`,
    to: 'yield* execute',
    breaks: 'The timer of a conversation is removed at its end.',
    killedBy: { 'test/store/sqlite.test.ts': 'is taken back if the conversation ends' },
  },
  {
    file: 'src/store/conversations.ts',
    from: 'if (!(yield* itemPassesFence(fence))) return false',
    to: '',
    breaks: 'A process whose item was freed keeps no step.',
    killedBy: { 'test/store/sqlite.test.ts': 'changes nothing for a process whose item was freed' },
  },
  {
    file: 'src/store/claim-items.ts',
    from: 'yield* removeTimer(timer)',
    to: '',
    breaks: 'A timer is due once.',
    killedBy: { 'test/store/sqlite.test.ts': 'comes due once in two processes, and in a process that comes later' },
  },
  {
    file: 'src/store/claim-items.ts',
    from: 'AND ${notRestored(tx)} ORDER BY due_at',
    to: 'ORDER BY due_at',
    breaks: 'Timers of a restored backup wait until its sends are released.',
    killedBy: { 'test/store/sqlite/restored.test.ts': 'holds the timers that came back until its sends are let go' },
  },
  {
    file: 'src/bot/routes/compile.ts',
    from: 'for (const route of routes) {',
    to: 'for (const route of routes.toReversed()) {',
    breaks: 'Routes are tried in the order in which they were registered.',
    killedBy: {
      [ROUTES]:
        'are tried in the order of registration, although whole words and ids are looked up and expressions are not',
    },
  },
] satisfies Mutant[]
