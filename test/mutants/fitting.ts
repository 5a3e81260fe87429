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
  {
    file: 'src/store/sqlite/connection.ts',
    from: 'if (isWithoutNativePart(error))',
    to: "if (file === '' && isWithoutNativePart(error))",
    breaks: 'A missing or foreign native part is named with the platform and the fix.',
    promise: 'FIT-6',
    killedBy: { 'test/store/sqlite/native-part.test.ts': 'is named, with the platform and the fix' },
  },
] satisfies Mutant[]
