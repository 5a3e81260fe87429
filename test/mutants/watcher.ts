import type { Mutant } from './driver/mutant.ts'

const ONE_TRACE = {
  'test/journeys/tracing.test.ts': 'is one for a delivery that one process received and another handled and answered',
}

/** What follows the bot's work, and the trace context that is stored with it. */
export default [
  {
    file: 'src/bot/inbox/receiver.ts',
    from: 'trace: watching.context })',
    to: 'trace: undefined })',
    breaks: 'A delivery is stored with the trace context of its request.',
    killedBy: ONE_TRACE,
  },
  {
    file: 'src/bot/outbox/record-send.ts',
    from: 'deps.watcher?.current()',
    to: 'undefined',
    breaks: 'A send is stored with the trace context of the attempt that requested it.',
    killedBy: ONE_TRACE,
  },
  {
    file: 'src/features/tracing/spans.ts',
    from: 'const links = [failedTrace, ',
    to: 'const links = [',
    breaks: 'A retry links to the failed attempt before it.',
    killedBy: { 'test/journeys/tracing.test.ts': 'has each rerun, which names the previous failed attempt' },
  },
] satisfies Mutant[]
