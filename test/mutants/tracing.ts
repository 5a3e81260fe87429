import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/tracing/trace-bot.ts',
    from: "if (name === 'receive') return context.active()",
    to: 'return context.active()',
    breaks: 'An attempt belongs to its delivery, and not to the request that is under way.',
    killedBy: { 'test/journeys/tracing.test.ts': 'is one, of a delivery that one process received' },
  },
  {
    file: 'src/tracing/trace-context.ts',
    from: "return state === '' ? parent : `${parent} ${state}`",
    to: 'return parent',
    breaks: 'What a vendor keeps in the state of a trace goes on in another process.',
    killedBy: { 'test/tracing/trace-context.test.ts': 'with its state behind a space' },
  },
  {
    file: 'src/tracing/trace-bot.ts',
    from: 'if (error?.stack !== undefined) span.recordException({ name: error.name, message, stack: error.stack })',
    to: '',
    breaks: 'The span of a failed attempt shows where it failed.',
    killedBy: { 'test/journeys/tracing.test.ts': 'has each rerun' },
  },
] satisfies Mutant[]
