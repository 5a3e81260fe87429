import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/verify/check.ts',
    from: '!isRefusal(outcome) || (first && !isSame(outcome, first.outcome))',
    to: '!isRefusal(outcome)',
    breaks: 'A receiver that tells forgeries apart by its answers does not pass.',
    killedBy: { 'test/verify/flawed.test.ts': 'a refusal that says what would have' },
  },
  {
    file: 'src/verify/check.ts',
    from: 'if (effects !== undefined && effects !== check.effects)',
    to: 'if (false)',
    breaks: 'A receiver that handles a duplicate twice does not pass.',
    killedBy: { 'test/verify/flawed.test.ts': 'a queue that loses what does not fit' },
  },
  {
    file: 'src/verify/mark.ts',
    from: 'if (customers.length > 0) return',
    to: 'if (false) return',
    breaks: "A customer's message stays, whoever captured it and gave it another id.",
    killedBy: { 'test/verify/mark.test.ts': 'its customer rather than its id' },
  },
] satisfies Mutant[]
