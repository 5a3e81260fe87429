import { expect, it } from 'vitest'
import { safeTracer, type Span, type Tracer } from '../../src/bot/spans.ts'

const fail = () => {
  throw new Error('the exporter is gone')
}

const CASES: Record<string, Tracer> = {
  'to start a span': { start: fail, current: fail },
  'to run work in a span': tracerOf({ within: fail }),
  'after the work': tracerOf({
    within(run) {
      run()
      return fail()
    },
  }),
  'to add to a span, and to end it': tracerOf({ add: fail, end: fail }),
}

function tracerOf(members: Partial<Span>): Tracer {
  const span: Span = { context: 'a', within: (run) => run(), add() {}, end() {}, ...members }
  return { start: () => span, current: fail }
}

it.each(Object.entries(CASES))('a tracer that fails %s changes no work, and is reported once', (_, tracer) => {
  const errors: unknown[] = []
  const safe = safeTracer(tracer, (error) => errors.push(error))
  const handler = new Error('of the handler')
  let runs = 0
  for (let deliveries = 0; deliveries < 2; deliveries++) {
    const span = safe.start('attempt', {})
    expect(span.within(() => ++runs)).toBe(deliveries + 1)
    expect(() =>
      span.within(() => {
        throw handler
      }),
    ).toThrow(handler)
    span.add({})
    span.end()
    expect(safe.current()).toBeUndefined()
  }
  expect(runs).toBe(2)
  expect(errors).toHaveLength(1)
})
