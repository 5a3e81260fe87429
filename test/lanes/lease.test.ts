import { describe, expect, it } from 'vitest'
import { createClock } from '../../src/base/clock.ts'
import { silent } from '../../src/base/log.ts'
import { keepLeases, LEASE_MS, leaseOf } from '../../src/lanes/lease.ts'
import type { Fence } from '../../src/store/types/index.ts'
import type { Store } from '../../src/store/store.ts'
import { manualTime } from '../emulator/support/time.ts'
import { turn } from './fake-lanes.ts'

const MINE: Fence = { lane: 'mine', owner: 'me', token: 1 }

const EVERY_MS = 3_000

describe('leases', () => {
  function keep(renew: Store['renew'] = async () => []) {
    const time = manualTime()
    const renewals: { lanes: string[]; after: number; leaseMs: number }[] = []
    const start = time.wall().getTime()
    const warnings: (string | undefined)[] = []
    const store = {
      async renew(fences: readonly Fence[], clock: () => number, leaseMs: number) {
        renewals.push({ lanes: fences.map(({ lane }) => lane), after: clock() - start, leaseMs })
        return renew(fences, clock, leaseMs)
      },
    } satisfies Partial<Store>
    const log = { ...silent, warn: (_about: unknown, message?: string) => warnings.push(message) }
    const held = leaseOf(MINE, time.monotonic())
    const stop = keepLeases({
      store,
      heldLeases: () => [held],
      clock: createClock(time.wall),
      timers: time.timers,
      log,
    })
    const pass = async (ms: number) => {
      time.pass(ms)
      await turn()
    }
    return { time, renewals, warnings, stop, pass, left: () => held.until - time.monotonic() }
  }

  it('are renewed for the held lanes, three times before one could expire [F-55]', async () => {
    const { renewals, pass } = keep()
    await pass(EVERY_MS - 1)
    expect(renewals).toEqual([])
    await pass(1)
    await pass(EVERY_MS)
    await pass(EVERY_MS)
    expect(renewals.map(({ after }) => after)).toEqual([3_000, 6_000, 9_000])
    expect(renewals.every(({ lanes, leaseMs }) => lanes.join() === 'mine' && leaseMs === LEASE_MS)).toBe(true)
    expect(3 * EVERY_MS).toBeLessThan(LEASE_MS)
  })

  it('last from the asking on for a renewal, however late its answer is, and no longer once a lane is lost [F-55]', async () => {
    const answer = Promise.withResolvers<readonly Fence[]>()
    let renewal = answer.promise
    const { pass, left } = keep(() => renewal)
    await pass(EVERY_MS)
    await pass(2_000)
    answer.resolve([])
    await turn()
    expect(left()).toBe(LEASE_MS - 2_000)
    renewal = Promise.resolve([MINE])
    await pass(EVERY_MS)
    expect(left()).toBe(-Infinity)
  })

  it('are renewed after a renewal that failed, and the log says so once per outage [F-50]', async () => {
    let full = true
    const { renewals, warnings, pass } = keep(async () => {
      if (full) throw new Error('the disk is full')
      return []
    })
    const said = 'leases were not renewed; it is tried again'
    for (let time = 1; time <= 3; time++) await pass(EVERY_MS)
    expect(renewals).toHaveLength(3)
    expect(warnings).toEqual([said])
    full = false
    await pass(EVERY_MS)
    full = true
    await pass(EVERY_MS)
    expect(warnings).toEqual([said, said])
  })

  it('are renewed at once after a renewal that took longer than the time between two [F-55]', async () => {
    const answer = Promise.withResolvers<readonly Fence[]>()
    const { renewals, pass } = keep(() => answer.promise)
    await pass(EVERY_MS)
    await pass(5_000)
    answer.reject(new Error('it was not done in time'))
    await turn()
    await pass(1)
    expect(renewals.map(({ after }) => after)).toEqual([EVERY_MS, EVERY_MS + 5_000])
  })

  it('are renewed one after another, never two at once', async () => {
    let open = () => {}
    const gate = new Promise<readonly Fence[]>((resolve) => {
      open = () => resolve([])
    })
    const { renewals, pass } = keep(() => gate)
    for (let time = 1; time <= 4; time++) await pass(EVERY_MS)
    expect(renewals).toHaveLength(1)
    open()
    await turn()
    await pass(EVERY_MS)
    expect(renewals).toHaveLength(2)
  })

  it('are no longer renewed after the end, even if it comes in the middle of a renewal', async () => {
    let open = () => {}
    const gate = new Promise<readonly Fence[]>((resolve) => {
      open = () => resolve([])
    })
    const { time, renewals, stop, pass } = keep(() => gate)
    await pass(EVERY_MS)
    stop()
    open()
    await turn()
    await pass(10 * EVERY_MS)
    expect(renewals).toHaveLength(1)
    expect(time.running).toBe(0)
  })
})
