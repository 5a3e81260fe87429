import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/base/backoff.ts',
    from: 'Math.min(longestMs, firstMs * 2 ** (nth - 1))',
    to: 'firstMs * 2 ** (nth - 1)',
    breaks: 'A back-off has a longest wait.',
    killedBy: {
      'test/base/backoff.test.ts':
        'doubles with each failure, up to its longest wait, however many failures there were',
    },
  },
  {
    file: 'src/base/clock.ts',
    from: 'Math.min(ms, LONGEST_TIMER_MS)',
    to: 'ms',
    breaks: 'A timer of more than 24 days does not fire at once.',
    killedBy: { 'test/base/clock.test.ts': 'never exceed the longest that Node does not fire at once' },
  },
  {
    file: 'src/base/mask.ts',
    from: 'token.length < HEAD + TAIL + HIDDEN_AT_LEAST',
    to: 'token.length < HEAD + TAIL',
    breaks: 'A short token is hidden whole.',
    killedBy: {
      'test/base/mask.test.ts': 'shows its first six and last four characters if at least 24 stay hidden, else nothing',
    },
  },
  {
    file: 'src/base/mask.ts',
    from: 'digits.slice(-3)',
    to: 'digits.slice(3)',
    breaks: 'A masked phone number shows its last three digits alone.',
    killedBy: { 'test/base/mask.test.ts': 'shows its last three digits at most, and of a short one none' },
  },
  {
    file: 'src/base/recent.ts',
    from: 'this.#entries.size > this.#most',
    to: 'this.#entries.size > 2 * this.#most',
    breaks: 'What anybody can add to does not fill the memory.',
    killedBy: { 'test/base/recent.test.ts': 'holds no more than it may' },
  },
] satisfies Mutant[]
