import type { Mutant } from './driver/mutant.ts'

const DESK = 'test/journeys/desk.test.ts'
const LINES = { file: 'src/pages/desk/lines.ts' }
const LINES_TEST = 'test/pages/desk/lines.test.ts'
const WORDS_TEST = 'test/pages/desk/words.test.ts'
const DRAFTS_TEST = 'test/pages/desk/drafts.test.ts'

/** The page at which people answer customers, and the link to it. */
export default [
  {
    ...LINES,
    from: 'lines: [...older, ...fresh.lines]',
    to: 'lines: [...known.lines, ...fresh.lines]',
    promise: 'DESK-20',
    killedBy: { [LINES_TEST]: 'takes new ones and new states, and shows none twice' },
  },
  {
    ...LINES,
    from: 'if (!known.lines.some(({ id }) => ids.has(id))) return fresh',
    to: '',
    promise: 'DESK-20',
    killedBy: { [LINES_TEST]: 'begins again where lines may be missing' },
  },
  {
    ...LINES,
    from: ' || fresh.now < known.now',
    to: '',
    breaks: 'An answer that was overtaken takes no message away.',
    promise: 'DESK-20',
    killedBy: { [LINES_TEST]: 'is not changed by an answer that a newer one has overtaken' },
  },
  {
    ...LINES,
    from: 'return isQuiet && isSameSeen(known.seen, seen) ? merged.seen : seen',
    to: 'return merged.seen',
    breaks: 'A message that has only just arrived is not seen yet.',
    promise: 'DESK-21',
    killedBy: { [LINES_TEST]: 'counts what others wrote as unseen until it was in sight' },
  },
  {
    ...LINES,
    from: 'isQuiet && isSameSeen(known.seen, seen)',
    to: 'isQuiet',
    breaks: 'A quiet answer does not make an unseen message a seen one.',
    promise: 'DESK-21',
    killedBy: { [LINES_TEST]: 'counts what others wrote as unseen until it was in sight' },
  },
  {
    file: 'src/pages/desk/drafts.ts',
    from: 'sessionStorage.setItem(PREFIX + id, JSON.stringify(draft))',
    to: 'sessionStorage.setItem(PREFIX + id, JSON.stringify({ ...draft, key: newKey() }))',
    breaks: 'A draft that is sent again after a reload is sent once.',
    promise: 'DESK-22',
    killedBy: { [DRAFTS_TEST]: 'a draft survives a reload with the key of its message' },
  },
  {
    file: 'src/pages/desk/drafts.ts',
    from: 'if (sessionStorage.getItem(OWNER) !== who) removeDrafts()',
    to: '',
    breaks: 'The next person at a computer finds no draft.',
    promise: 'DESK-22',
    killedBy: { [DRAFTS_TEST]: 'drafts are gone at sign-out' },
  },
  {
    ...LINES,
    from: "list === 'recent' ? byNewest : byWait",
    to: 'byNewest',
    promise: 'DESK-23',
    killedBy: { [LINES_TEST]: 'has who waits the longest first' },
  },
  {
    ...LINES,
    from: "if (list === 'waiting') return row.state === 'waiting'",
    to: "if (list === 'waiting') return true",
    breaks: 'Who was answered leaves the list.',
    promise: 'DESK-23',
    killedBy: { [LINES_TEST]: 'has who waits the longest first' },
  },
  {
    file: 'src/pages/desk/words.ts',
    from: ', ...own }',
    to: ' }',
    promise: 'DESK-24',
    killedBy: { [WORDS_TEST]: 'the app’s own come first' },
  },
  {
    file: 'src/pages/desk/texts/sw.ts',
    from: "freeUntil: 'Unaweza kuandika kwa uhuru hadi {time}.'",
    to: "freeUntil: 'Unaweza kuandika kwa uhuru.'",
    breaks: 'Each language says all that English says.',
    promise: 'DESK-24',
    killedBy: { [WORDS_TEST]: 'have the same names and blanks in sw as in English' },
  },
  {
    file: 'src/pages/desk/words.ts',
    from: "hour: '2-digit', minute: '2-digit', hourCycle",
    to: "hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle",
    breaks: 'Times have no seconds.',
    promise: 'DESK-25',
    killedBy: { [WORDS_TEST]: 'are minutes and 10:32, and no seconds' },
  },
  {
    file: 'src/features/people/desk/live.ts',
    from: 'this.#watched ??= since',
    to: 'void since',
    promise: 'DESK-26',
    killedBy: { [DESK]: 'tells of what happened between the reading of a page and the first look of the stream' },
  },
  {
    file: 'src/admin/admin.ts',
    from: 'deskAddress: o.desk',
    to: 'deskAddress: undefined',
    promise: 'DESK-33',
    killedBy: { 'test/admin/answers.test.ts': 'name the address of the desk' },
  },
] satisfies Mutant[]
