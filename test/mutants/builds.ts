import type { Mutant } from './driver/mutant.ts'

/** Two builds of the package in one process. */
export default [
  {
    file: 'src/base/shared.ts',
    from: "typeof value === 'object' && value !== null && mark in value",
    to: "typeof value === 'object' && value !== null && (this as { prototype: object }).prototype === Object.getPrototypeOf(value)",
    promise: 'FIT-1',
    killedBy: { 'test/base/shared.test.ts': 'know each other’s errors' },
  },
] satisfies Mutant[]
