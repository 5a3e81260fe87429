import type { Mutant } from './driver/mutant.ts'

const WALK = 'test/pages/desk/walk-stranger.test.ts'

/** What misled people who saw the desk for the first time. */
export default [
  {
    file: 'src/admin/page-host.ts',
    from: 'return page.routeIn(request.path) ? refusalAnswer',
    to: 'return page.name ? refusalAnswer',
    promise: 'DESK-72',
    killedBy: { 'test/features/people/desk-opening.test.ts': 'gets a sentence, and its data requests a refusal' },
  },
  {
    file: 'src/admin/page-host.ts',
    from: 'if (!route && isA(error, WrongPerson))',
    to: 'if (route && isA(error, WrongPerson))',
    promise: 'DESK-64',
    killedBy: {
      'test/features/people/desk-opening.test.ts': 'gets a page and no data although their rights are wrong',
    },
  },
  {
    file: 'src/base/built-page.ts',
    from: "  png: 'image/png',\n",
    to: '',
    promise: 'DESK-65',
    killedBy: { 'test/features/people/desk-opening.test.ts': 'serves an icon for a home screen that takes no SVG' },
  },
  {
    file: 'src/pages/desk/desk-main.tsx',
    from: "speak(lang, JSON.parse(dataset['texts'] ?? '{}') as Record<string, string>)",
    to: "speak('en', JSON.parse(dataset['texts'] ?? '{}') as Record<string, string>)",
    promise: 'DESK-66',
    killedBy: { [WALK]: 'has its first words in its language (sw)' },
  },
  {
    file: 'src/pages/desk/lines.ts',
    from: 'Date.parse(end) > after && Date.parse(end) <= now',
    to: 'Date.parse(end) > now && Date.parse(end) <= now',
    promise: 'DESK-67',
    killedBy: { [WALK]: 'says that the bot answers again when its rest ends' },
  },
  {
    file: 'src/pages/desk/queue.tsx',
    from: 'found.value?.text === text.value.trim() ?',
    to: "found.value?.text !== '' ?",
    promise: 'DESK-68',
    killedBy: { [WALK]: 'offers a button for the search that was typed' },
  },
  {
    file: 'src/pages/desk/chat-line.tsx',
    from: 'key: `again-${id}`',
    to: "key: `again-${id}-${Math.random()}`.replace('.', '-')",
    promise: 'DESK-69',
    killedBy: { [WALK]: 'sends a failed message again once' },
  },
] satisfies Mutant[]
