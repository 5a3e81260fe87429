import type { Mutant } from './driver/mutant.ts'

/** Tables that are read: the places of a payload's facts, and where the text of a send is. */
export default [
  {
    file: 'src/bot/inbox/payload/fact-places.ts',
    from: 'const LAST_RESORT = 1_000_000',
    to: 'const LAST_RESORT = 0',
    breaks: 'A place of the last resort counts only if no other has the fact.',
    promise: 'HOUSE-5',
    killedBy: {
      'test/bot/inbox/payload/fact-places.test.ts': 'is read by rank: a last resort counts only if no other place',
    },
  },
  {
    file: 'src/bot/inbox/payload/fact-places.ts',
    from: '.as(knownStatusOf)',
    to: '',
    breaks: 'At a place of the last resort only a known status counts.',
    promise: 'HOUSE-5',
    killedBy: { 'test/bot/inbox/payload/fact-places.test.ts': 'may have a place whose values have another form' },
  },
  {
    file: 'src/service/body-text.ts',
    from: "  interactive: ['interactive', 'body'],",
    to: '  interactive: [],',
    breaks: 'The text of a send is known for each type.',
    killedBy: { 'test/service/body-text.test.ts': 'is where its type has it, and nowhere else' },
  },
] satisfies Mutant[]
