import { describe, expect, it, vi } from 'vitest'
import { ProcessLease } from '../../../src/bot/lanes/lease.ts'
import { LEASE_MS } from '../../../src/store/work/lanes.ts'
import { createClock } from '../../../src/base/clock.ts'
import { silent } from '../../../src/base/log.ts'
import { manualTime } from '../../emulator/support/time.ts'
import { turn } from './fake-lanes.ts'
import type { Others } from '../../../src/store/work/lanes.ts'

const RENEW_EVERY_MS = 3_000

/** A lease whose renewals a test answers. */
function stage(answers: () => boolean | Promise<boolean> = () => true) {
  const time = manualTime()
  const renew = vi.fn(async (_name: string, _clock: () => number, _leaseMs: number) => answers())
  const lease = new ProcessLease({
    store: { renew },
    name: 'one',
    clock: createClock(time.wall, time.monotonic),
    timers: time.timers,
    log: silent,
  })
  return { time, renew, lease }
}

async function passes(time: ReturnType<typeof manualTime>, ms: number): Promise<void> {
  await turn()
  time.pass(ms)
  await turn()
}

describe('a clock that differs from what the database has seen', () => {
  const renewed = { until: 0, since: 0, isRenewed: true }
  it.each([
    ['another process is ahead', true, { lapsed: new Map(), ahead: true }],
    ['another living process is behind', true, { lapsed: new Map([[1, renewed]]) }],
    ['another process may be gone', false, { lapsed: new Map([[1, { ...renewed, isRenewed: false }]]) }],
  ] as const)('is reported once, and only if it does: %s [F-61]', async (_what, isTold, seen) => {
    const time = manualTime()
    const clockAhead = vi.fn()
    const lease = new ProcessLease({
      store: {
        async renew(_name, _clock, _leaseMs, others: Others = { lapsed: new Map() }) {
          if ('ahead' in seen) others.ahead = true
          for (const [id, one] of seen.lapsed) others.lapsed.set(id, one)
          return true
        },
        timeOfDay: time.monotonic,
      },
      name: 'one',
      clock: createClock(time.wall, time.monotonic),
      timers: time.timers,
      log: silent,
      clockAhead,
    })
    const stop = lease.keep()
    for (let renewals = 0; renewals < 4; renewals++) await passes(time, RENEW_EVERY_MS)
    stop()
    expect(clockAhead).toHaveBeenCalledTimes(isTold ? 1 : 0)
  })

  it('is reported if the machine was ahead for more than a minute, also before the start [F-61]', async () => {
    for (const [behind, clockWentBack, times] of [
      [60_000, false, 0],
      [60_001, false, 1],
      [0, true, 1],
    ] as const) {
      const time = manualTime()
      const clockAhead = vi.fn()
      const clock = { ...createClock(time.wall, time.monotonic), behind: () => behind }
      const store = { renew: async () => true, timeOfDay: time.monotonic, clockWentBack }
      const stop = new ProcessLease({ store, name: 'one', clock, timers: time.timers, log: silent, clockAhead }).keep()
      for (let renewals = 0; renewals < 3; renewals++) await passes(time, RENEW_EVERY_MS)
      stop()
      expect(clockAhead).toHaveBeenCalledTimes(times)
    }
  })
})

describe('the lease of a process', () => {
  it('is renewed every three seconds, and so never nearly over while the process lives [F-55]', async () => {
    const { time, renew, lease } = stage()
    const stop = lease.keep()
    for (let passed = 0; passed < 4 * RENEW_EVERY_MS; passed += RENEW_EVERY_MS) await passes(time, RENEW_EVERY_MS)
    expect(renew.mock.calls.length).toBeGreaterThanOrEqual(4)
    expect(lease.isFresh()).toBe(true)
    stop()
    const renewals = renew.mock.calls.length
    await passes(time, 10 * RENEW_EVERY_MS)
    expect(renew.mock.calls).toHaveLength(renewals)
  })

  it('is renewed before work begins if it is nearly over: the answer that brought the work may be late [F-55]', async () => {
    const { time, renew, lease } = stage()
    expect(lease.isFresh()).toBe(false)
    expect(await lease.freshen('one')).toBe(true)
    expect(renew).toHaveBeenCalledTimes(1)
    expect(lease.freshen('one')).toBe(true)
    await passes(time, LEASE_MS - 4_000)
    expect(await lease.freshen('one')).toBe(true)
    expect(renew).toHaveBeenCalledTimes(2)
  })

  it('continues under another name if the process was declared dead: what ran before is lost [F-55]', async () => {
    let dead = true
    const { lease, renew } = stage(() => !dead)
    expect(await lease.freshen('one')).toBe(false)
    expect(lease.name).toBe('one.1')
    dead = false
    expect(await lease.freshen('one')).toBe(false)
    expect(await lease.freshen('one.1')).toBe(true)
    expect(renew.mock.calls.map(([name]) => name)).toEqual(['one', 'one.1'])
  })

  it('is tried again while the database refuses, and told of once', async () => {
    let fails = true
    const { time, lease } = stage(() => {
      if (fails) throw new Error('no room')
      return true
    })
    const stop = lease.keep()
    await passes(time, RENEW_EVERY_MS)
    expect(lease.isFresh()).toBe(false)
    fails = false
    await passes(time, RENEW_EVERY_MS)
    expect(lease.isFresh()).toBe(true)
    stop()
  })
})
