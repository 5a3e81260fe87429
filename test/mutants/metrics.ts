import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/metrics/event-metrics.ts',
    from: "return KNOWN_EVENTS.has(event) ? event : 'other'",
    to: 'return event',
    breaks: 'No sender can make labels by inventing events.',
    killedBy: { 'test/journeys/metrics.test.ts': 'have no label with a customer' },
  },
  {
    file: 'src/metrics/gauges.ts',
    from: 'return label === undefined ? this.remove() : undefined',
    to: 'return',
    breaks: 'A bot that is stopped shows no gauge, rather than one that stands at 0.',
    killedBy: { 'test/journeys/metrics.test.ts': 'say nothing of that while it is stopped' },
  },
] satisfies Mutant[]
