import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/page/timeline/cause.ts',
    from: `if (signature.sent !== signature.expected)
    return 'The app took`,
    to: `if (false)
    return 'The app took`,
    breaks: 'The page warns of an app that takes a wrong signature.',
    killedBy: { 'test/page/timeline-cause.test.ts': 'warns if the app accepted a delivery that it had to refuse' },
  },
  {
    file: 'src/page/timeline/cause.ts',
    from: 'Math.abs(signature.skewSeconds) > TIMESTAMP_TOLERANCE_SECONDS)\n    return `The app took',
    to: 'Math.abs(signature.skewSeconds) >= TIMESTAMP_TOLERANCE_SECONDS)\n    return `The app took',
    breaks: 'All is well at the edge of the 300 s.',
    killedBy: { 'test/page/timeline-cause.test.ts': 'is empty if all is well, even at the edge of the 300 s' },
  },
  {
    file: 'src/page/timeline/search.ts',
    from: 'customer?.startsWith(digits)',
    to: 'customer?.includes(digits)',
    breaks: 'A customer is found by the first digits.',
    killedBy: { 'test/page/timeline-search.test.ts': 'to:700000102 finds' },
  },
  {
    file: 'src/page/timeline/search.ts',
    from: 'if (term.problem !== undefined || !isNot) return { ...term, source }',
    to: 'return { ...term, source }',
    breaks: 'A minus before a term excludes what matches it.',
    killedBy: { 'test/page/timeline-search.test.ts': '-kind:delivery finds' },
  },
  {
    file: 'src/page/recorder/record.ts',
    from: 'at - last.writtenAt <= IN_A_ROW_MS',
    to: 'false',
    breaks: 'A recorded burst is one step, so that its test gathers it too.',
    killedBy: { 'test/page/recorder-play.test.ts': 'a recorded conversation is a test that reads as it was played' },
  },
] satisfies Mutant[]
