import { describe, expect, it } from 'vitest'
import { createPlotter } from '../../src/admin/plot.ts'

const SPAN = 10_000

describe('the plots of the admin page', () => {
  it('count what the hooks hear in spans of ten seconds, those without anything too', () => {
    let now = 0
    const { hooks, plot } = createPlotter(() => now)
    hooks.accepted?.({})
    hooks.handled?.({ waitedMs: 30 })
    now = 2 * SPAN
    hooks.accepted?.({})
    hooks.accepted?.({})
    hooks.handled?.({ waitedMs: 700 })
    hooks.failed?.({ waitedMs: 20 })
    hooks.send_accepted?.({})
    hooks.send_refused?.({})
    expect(plot()).toEqual({
      spanMs: SPAN,
      from: 0,
      accepted: [1, 0, 2],
      handled: [1, 0, 1],
      failed: [0, 0, 1],
      sent: [0, 0, 1],
      unsent: [0, 0, 1],
      waitedMs: [30, 0, 700],
    })
  })

  it('have a bounded number of spans, which grow longer as the process lives on, and lose nothing', () => {
    let now = 0
    const { hooks, plot } = createPlotter(() => now)
    for (; now < 10_000 * SPAN; now += SPAN) hooks.accepted?.({})
    now -= SPAN
    const { spanMs, accepted } = plot()
    expect(accepted.length).toBeLessThanOrEqual(180)
    expect(accepted.length * spanMs).toBeGreaterThanOrEqual(now)
    expect(accepted.reduce((sum, n) => sum + n, 0)).toBe(10_000)
    expect(Math.max(...accepted)).toBe(spanMs / SPAN)
  })

  it('tell how many deliveries came within the last minute', () => {
    let now = 0
    const { hooks, perMinute } = createPlotter(() => now)
    for (now = 0; now < 90_000; now += 1_000) hooks.accepted?.({})
    now -= 1_000
    expect(perMinute()).toBe(60)
    now += 30_000
    expect(perMinute()).toBe(30)
    now += 60_000
    expect(perMinute()).toBe(0)
  })
})
