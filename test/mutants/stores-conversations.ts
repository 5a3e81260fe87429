import type { Mutant } from './driver/mutant.ts'

const STORE = 'test/stores/sqlite.test.ts'
const JOURNEY = 'test/journeys/window-closing.test.ts'

/** Conversations and timers as the store keeps them, and windows that are about to close. */
export default [
  {
    file: 'src/stores/operations/turns/conversations.ts',
    from: "yield* end(sql`number = ${number} AND customer = ${customer} AND id <> ${id}`, 'replaced', now)",
    to: '',
    breaks: 'What opens ends another conversation of the same customer.',
    killedBy: { [STORE]: 'is one at a time: what opens ends another one of the same customer and number' },
  },
  {
    file: 'src/stores/operations/turns/conversations.ts',
    from: 'for (const { id, ...who } of rows) yield* disarm(timerOf(id, who))',
    to: '',
    breaks: 'The timer of a conversation goes with its end.',
    killedBy: { [STORE]: 'is taken back if the conversation ends' },
  },
  {
    file: 'src/stores/operations/turns/conversations.ts',
    from: 'if (dueAt === undefined) yield* disarm(timerOf(id, who))',
    to: 'if (dueAt === undefined) return',
    breaks: 'A wait without an end takes back the timer of the wait before it.',
    killedBy: { [STORE]: 'is taken back if the conversation waits without an end' },
  },
  {
    file: 'src/stores/operations/turns/conversations.ts',
    from: "UPDATE conversations SET waits = ${JSON.stringify(waits)} WHERE id = ${id} AND state = 'open'",
    to: 'UPDATE conversations SET waits = ${JSON.stringify(waits)} WHERE id = ${id}',
    breaks: 'A conversation that a person has ended gets no new timer by the item that was at work on it.',
    killedBy: { [STORE]: 'is ended by a person, and stays ended for an item that was at work on it meanwhile' },
  },
  {
    file: 'src/stores/operations/turns/conversations.ts',
    from: "WHERE number = ${number} AND customer = ${customer} AND what = 'deliveries' AND upto >= ${seqOfItem(item)})",
    to: "WHERE number = ${number} AND customer = ${customer} AND what = 'deliveries' AND upto > ${seqOfItem(item) + 99})",
    breaks: 'An item that was at work when its customer was forgotten opens nothing for them.',
    killedBy: { [STORE]: 'is forgotten with its customer, journal and all, also by an item that was at work on it' },
  },
  {
    file: 'src/stores/operations/turns/conversations.ts',
    from: 'yield* insertStep(conversation.id, step, sql`DO NOTHING`)',
    to: 'yield* insertStep(conversation.id, step, sql`DO UPDATE SET result = excluded.result`)',
    breaks: 'The first result of a step that was kept at once stands.',
    killedBy: {
      [STORE]: 'keeps the result of a step at once, before the conversation is open, and the first one stands',
    },
  },
  {
    file: 'src/stores/operations/turns/conversations.ts',
    from: 'if (!(yield* holdsLane(fence))) return false',
    to: '',
    breaks: 'A holder that lost the lane keeps no step.',
    killedBy: { [STORE]: 'changes nothing for a holder that lost the lane' },
  },
  {
    file: 'src/stores/operations/turns/enter.ts',
    from: 'once: true,',
    to: 'once: false,',
    breaks: 'A wish to enter a conversation is kept once, however often it is asked for.',
    killedBy: { [STORE]: 'is entered from outside by an item in the lane of the customer’s messages' },
  },
  {
    file: 'src/stores/operations/pruning/prune-conversations.ts',
    from: "(v.state = 'ended' AND v.ended_at < ${before})",
    to: '(v.opened_at < ${before})',
    breaks: 'An open conversation is never pruned, and one that has ended is by the age of its end.',
    killedBy: { [STORE]: 'goes a retention after its end with journal and sends, and no sooner' },
  },
  {
    file: 'src/stores/operations/pruning/prune-conversations.ts',
    from: "(s.settled_at IS NULL OR s.state = 'unknown' OR s.settled_at >= ${before})",
    to: '(s.settled_at >= ${before})',
    breaks: 'A conversation stays as long as one of its sends is not certain.',
    killedBy: { [STORE]: 'stays as long as one of its sends is not certain' },
  },
  {
    file: 'src/stores/operations/pruning/prune-conversations.ts',
    from: "(i.settled_at IS NULL OR i.state IN ('dead', 'parked'))",
    to: '(i.settled_at IS NULL)',
    breaks: 'What was kept for a conversation stays as long as a person may put its item back.',
    killedBy: { [STORE]: 'keeps the steps of one that was never entered for as long as its item may run again' },
  },
  {
    file: 'src/stores/operations/turns/due-timers.ts',
    from: 'yield* disarm(timer)',
    to: '',
    breaks: 'A timer comes due once.',
    killedBy: { [STORE]: 'comes due once in two processes, and in a process that comes later' },
  },
  {
    file: 'src/stores/operations/turns/due-timers.ts',
    from: 'WHERE due_at <= ${serviceNow} AND NOT ${timersCameBack()}',
    to: 'WHERE due_at <= ${now} AND NOT ${timersCameBack()}',
    breaks: 'A timer comes due by the clock of the service, and not by that of the machine.',
    killedBy: {
      [STORE]: 'comes due at its service time as an item of its customer’s lane, whatever the wall clock says',
    },
  },
  {
    file: 'src/stores/operations/turns/due-timers.ts',
    from: 'WHERE due_at <= ${serviceNow} AND NOT ${timersCameBack()}',
    to: 'WHERE due_at <= ${serviceNow}',
    breaks: 'Timers that came back with a backup wait until its sends are let go.',
    killedBy: { 'test/stores/sqlite/restored.test.ts': 'holds the timers that came back until its sends are let go' },
  },
  {
    file: 'src/stores/operations/turns/due-timers.ts',
    from: 'JSON.stringify([number, customer, name, says])',
    to: 'JSON.stringify([number, customer, name, says, Math.random()])',
    breaks: 'The same arming has the same cause, so that a restored database sends under the keys that it had.',
    killedBy: {
      'test/stores/sqlite/restored.test.ts':
        'has a timer that came due before and after it was brought back under the same',
    },
  },
  {
    file: 'src/stores/operations/items/own-deliveries.ts',
    from: "kind === 'send_failed' ? undefined : 'flushes'",
    to: 'undefined',
    breaks: 'An answer that is still gathered goes before the timer that comes due behind it.',
    killedBy: { [STORE]: 'has what was gathered before it sealed, so that an answer goes first' },
  },
  {
    file: 'src/stores/operations/lanes/timers.ts',
    from: 'WHERE NOT EXISTS (SELECT 1 FROM lanes WHERE key = ${customerLane({ number, customer })} AND last_at >= ${lastAt})',
    to: 'WHERE true',
    breaks: 'A message that does not move the window arms no timer: it has come due for this window.',
    killedBy: { [STORE]: 'comes due once for each window: a message that comes late or again arms none' },
  },
  {
    file: 'src/stores/operations/lanes/timers.ts',
    from: 'WHERE excluded.due_at > timers.due_at',
    to: '',
    breaks: 'Of several messages in one delivery the latest arms the timer of the window.',
    killedBy: { [STORE]: 'has the latest message of a batch arm it, in whatever order they stand there' },
  },
  {
    file: 'src/stores/operations/pruning/forget.ts',
    from: 'yield* run(sql`DELETE FROM timers WHERE number = ${number} AND customer = ${customer}`)',
    to: '',
    breaks: 'The timers of a forgotten customer are taken back.',
    killedBy: { [STORE]: 'is taken back if its customer is forgotten' },
  },
  {
    file: 'src/stores/operations/sends/restored.ts',
    from: "i.settled_at IS NULL AND i.state = 'running'",
    to: "i.settled_at IS NULL AND i.state = 'never'",
    breaks: 'What a handler sends for a delivery that came back with a backup is held.',
    killedBy: {
      'test/stores/sqlite/restored.test.ts': 'holds what a conversation sends for a delivery that came back',
    },
  },
  {
    file: 'src/dispatch/closing-window.ts',
    from: 'if (hasMoved || windowAt',
    to: 'if (windowAt',
    breaks: 'A message that waits behind the timer takes it back too.',
    killedBy: { [JOURNEY]: 'is not heard of if a message that moves it waits behind the timer in the lane' },
  },
  {
    file: 'src/dispatch/closing-window.ts',
    from: '|| windowAt(lastAt, deps.clock.service()).open !== true',
    to: '',
    breaks: 'Nobody hears that a window is about to close which has closed.',
    killedBy: { [JOURNEY]: 'is not heard of once it has closed, as while no process ran' },
  },
  {
    file: 'src/dispatch/closing-window.ts',
    from: 'beforeMs === before',
    to: 'beforeMs > 0 && before > 0',
    breaks: 'Each handler hears at its own time.',
    killedBy: { [JOURNEY]: 'is heard of by each handler at its own time, and by several of one time' },
  },
  {
    file: 'src/dispatch/run-event.ts',
    from: 'if (!running.session) running.completedHandlers',
    to: 'running.completedHandlers',
    breaks: 'Handlers that share a session run again together, since it was not stored.',
    killedBy: {
      [JOURNEY]: 'is heard of again by all handlers if one of them failed, since their session was not stored',
    },
  },
  {
    file: 'src/dispatch/dispatcher.ts',
    from: 'awaited, serviceNow, suspects',
    to: 'awaited, suspects',
    breaks: 'A bot finds timers by the clock of its service.',
    killedBy: { [JOURNEY]: 'is heard of by a process that starts later, and by one whose clock was moved to it' },
  },
] satisfies Mutant[]
