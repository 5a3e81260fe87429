import { createTraceState, TraceFlags } from '@opentelemetry/api'
import { expect, it } from 'vitest'
import { spanContextOf, traceContextOf } from '../../../src/bot/extras/tracing.ts'

// The example of the W3C recommendation "Trace Context".
const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const IDS = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: TraceFlags.SAMPLED }

it('a span is stored as the W3C writes it, with its state after a space', () => {
  expect(traceContextOf(IDS)).toBe(PARENT)
  expect(traceContextOf({ ...IDS, traceFlags: TraceFlags.NONE })).toBe(PARENT.replace(/1$/, '0'))
  expect(traceContextOf({ ...IDS, traceState: createTraceState('congo=t61rcWkgMzE') })).toBe(
    `${PARENT} congo=t61rcWkgMzE`,
  )
})

it('a stored one is read again, as of another process; an invalid trace context is none', () => {
  expect(spanContextOf(PARENT)).toEqual({ ...IDS, isRemote: true })
  expect(spanContextOf(`${PARENT} congo=t61rcWkgMzE`)?.traceState?.get('congo')).toBe('t61rcWkgMzE')
  for (const text of [undefined, '', 'x', PARENT.slice(1), PARENT.toUpperCase(), `${PARENT}0`])
    expect(spanContextOf(text)).toBeUndefined()
})
