import type { Mutant } from './driver/mutant.ts'

/** How it fits into the apps that people have. */
export default [
  {
    file: 'src/bot/work/json-value.ts',
    from: "return `a ${name === '' ? 'class' : name}`",
    to: 'return undefined',
    breaks: 'A value that JSON would change is refused with its path, in a session and as a result of once.',
    promise: 'FIT-4',
    killedBy: {
      'test/journeys/handler-life.test.ts': 'is refused with its path: as a result of once, and in a session',
    },
  },
] satisfies Mutant[]
