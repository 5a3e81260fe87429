import type { Mutant } from './driver/mutant.ts'

const LIVE = { file: 'src/features/people/desk/live.ts' }
const DESKS_TEST = 'test/journeys/desk-two-browsers.test.ts'
const ATTACKS_TEST = 'test/features/people/desk-attacks.test.ts'
const LINES_TEST = 'test/pages/desk/lines.test.ts'

/** Many desks at many messages, and those who want more of a desk than they may. */
export default [
  {
    file: 'src/pages/desk/lines.ts',
    from: 'if (isAtEnd && known.lines.length > MOST_LINES) return fresh',
    to: '',
    breaks: 'A chat that is open all day does not grow.',
    promise: 'DESK-56',
    killedBy: { [LINES_TEST]: 'keeps no more than some hundred lines while its newest are in sight' },
  },
  {
    file: 'src/pages/desk/lines.ts',
    from: 'rows.length > most ?',
    to: 'rows.length < 0 ?',
    breaks: 'A list that is open all day does not grow.',
    promise: 'DESK-56',
    killedBy: { [LINES_TEST]: 'has as many rows as were asked for' },
  },
  {
    ...LIVE,
    from: '    if (touched.length === 0) return\n',
    to: '',
    breaks: 'A desk at which nothing happens asks nothing but whether something happened.',
    promise: 'DESK-57',
    killedBy: { [DESKS_TEST]: 'ask a database one question a second, however many they are (1)' },
  },
  {
    ...LIVE,
    from: 'events.set(key, event)',
    to: 'void key',
    breaks: 'What several people see alike is written once.',
    promise: 'DESK-57',
    killedBy: { [DESKS_TEST]: 'receive a change as the same bytes' },
  },
  {
    ...LIVE,
    from: 'JSON.stringify([watcher.revealed, ',
    to: 'JSON.stringify([',
    breaks: 'Who may not read gets nothing that was written for others.',
    promise: 'DESK-57',
    killedBy: { [DESKS_TEST]: 'receive a change as the same bytes' },
  },
  {
    file: 'src/features/people/store/chat.ts',
    from: 'item: upto(wrote, ({ id }) => id, now.item),',
    to: 'item: now.item,',
    promise: 'DESK-58',
    killedBy: { [DESKS_TEST]: 'miss nobody of a second in which more customers write' },
  },
  {
    file: 'src/features/people/store/chat.ts',
    from: "version: isWhole ? now.version : '',",
    to: 'version: now.version,',
    breaks: 'What did not fit into one look is in the next one, although nothing more happens.',
    promise: 'DESK-58',
    killedBy: { 'test/store/sqlite.test.ts': 'tells a watcher of all who were touched, however many' },
  },
  {
    file: 'src/features/people/store/queue.ts',
    from: 'if (newer) return false\n',
    to: '',
    promise: 'DESK-59',
    killedBy: { [DESKS_TEST]: 'nobody answers over an unseen message unasked (seed 1)' },
  },
  {
    file: 'src/features/people/desk/desk-routes.ts',
    from: '  await checkMayWrite(visitor)\n  const given = checkedBody(DESK_BODIES.act, await jsonOf(asked.request))',
    to: '  const given = checkedBody(DESK_BODIES.act, await jsonOf(asked.request))',
    breaks: 'Who may not write does nothing.',
    promise: 'DESK-60',
    killedBy: { [ATTACKS_TEST]: 'does nothing without the right to it' },
  },
  {
    file: 'src/features/people/desk/desk-routes.ts',
    from: "  upload: ['POST', upload],\n",
    to: "  upload: ['POST', upload],\n  everything: ['GET', state],\n",
    breaks: 'A new route is tried by the attacker.',
    promise: 'DESK-60',
    killedBy: { [ATTACKS_TEST]: 'finds each route and each act of the desk in this table' },
  },
  {
    ...LIVE,
    from: ' || ofBrowser.length >= MOST_OF_BROWSER)',
    to: ' || ofBrowser.length < 0)',
    breaks: 'A browser has at most four streams: over HTTP/1 its requests need the other connections.',
    promise: 'DESK-61',
    killedBy: { [ATTACKS_TEST]: 'has at most four streams in a browser, and 20 under a name' },
  },
  {
    ...LIVE,
    from: 'if (own.length >= MOST_OF_PERSON ||',
    to: 'if (own.length < 0 ||',
    breaks: 'Nobody opens streams without an end.',
    promise: 'DESK-61',
    killedBy: { [ATTACKS_TEST]: 'has at most four streams in a browser, and 20 under a name' },
  },
  {
    file: 'src/features/people/desk/desk-view.ts',
    from: 'text: text && withEllipsis(text, LAST_SHOWN)',
    to: 'text',
    promise: 'DESK-70',
    killedBy: {
      'test/features/people/desk.test.ts': 'has the beginning of a long text in the list, and all of it in the chat',
    },
  },
  {
    ...LIVE,
    from: 'if (clock.monotonic() - began < WORKS_MS) return',
    to: 'if (clock.monotonic() - began >= 0) return',
    promise: 'DESK-71',
    killedBy: { 'test/features/people/desk-rests.test.ts': 'rests after a millisecond of work, and not before' },
  },
] satisfies Mutant[]
