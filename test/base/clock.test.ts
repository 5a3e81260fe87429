import { describe, expect, it, vi } from 'vitest'
import { createClock, realTimers } from '../../src/base/clock.ts'
import { clockOver } from '../../src/store/sqlite/sqlite-store.ts'

describe('the two clocks', () => {
  it('are equal until an emulator’s offset is adopted, which moves only service time', () => {
    let now = 1_000
    const clock = createClock(() => new Date(now))
    expect([clock.wall(), clock.service(), clock.offset]).toEqual([1_000, 1_000, 0])
    clock.adopt(90_000_000)
    now = 2_000
    expect([clock.wall(), clock.service(), clock.offset]).toEqual([2_000, 90_002_000, 90_000_000])
    expect(clock.monotonic()).toBe(2_000)
    clock.adopt(0)
    expect(clock.service()).toBe(2_000)
  })

  it('follow the store’s clock, and the age of signatures the machine’s; a given clock replaces both', () => {
    const hourAgo = () => Date.now() - 3_600_000
    const clock = createClock(undefined, undefined, { clock: hourAgo })
    clock.adopt(60_000)
    expect(clock.machine() - clock.wall()).toBeCloseTo(3_600_000, -3)
    expect(clock.service() - clock.wall()).toBeCloseTo(60_000, -3)
    expect(clock.behind()).toBe(0)
    const given = createClock(() => new Date(1_000), undefined, { clock: hourAgo })
    expect([given.wall(), given.machine()]).toEqual([1_000, 1_000])
  })
})

describe('after the machine’s clock was a day ahead for five seconds', () => {
  const DAY = 86_400_000

  it('service time is right again, and wall time, which waits are measured by, never goes back [F-61]', () => {
    let [passed, ahead] = [0, 0]
    const machine = () => 1_000_000 + passed + ahead
    const stored = { clock: clockOver(machine, () => passed), timeOfDay: machine }
    const clock = createClock(undefined, () => passed, stored)
    clock.adopt(7)
    expect([clock.wall(), clock.service(), clock.behind()]).toEqual([1_000_000, 1_000_007, 0])
    ahead = DAY
    expect([clock.wall(), clock.service(), clock.behind()]).toEqual([1_000_000 + DAY, 1_000_007 + DAY, 0])
    passed = 5_000
    ahead = 0
    expect([clock.wall(), clock.service(), clock.behind()]).toEqual([1_005_000 + DAY, 1_005_007, DAY])
    passed = 6_000
    expect([clock.wall(), clock.service(), clock.offset]).toEqual([1_006_000 + DAY, 1_006_007, 7])
  })

  it('a fraction of a second is no step, and a server’s clock is followed [F-61]', () => {
    const late = createClock(undefined, undefined, { clock: () => 10_900, timeOfDay: () => 10_000 })
    const server = createClock(undefined, undefined, { clock: () => 10_900 })
    expect([late.service(), server.service()]).toEqual([10_900, 10_900])
  })
})

it('real timers never exceed Node’s longest timer [C ERR-03]', () => {
  const set = vi.spyOn(globalThis, 'setTimeout')
  realTimers.after(40 * 86_400_000, () => {})()
  expect(set.mock.lastCall?.[1]).toBe(2 ** 31 - 1)
  set.mockRestore()
})
