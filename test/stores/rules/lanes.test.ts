import { describe, expect, it } from 'vitest'
import { canGoOn, impossibleAfter, readyAfterRelease, rollbackOf } from '../../../src/stores/rules/lanes.ts'

const NOW = 10_000_000
const HOUR = 3_600_000
const LEASE_MS = 10_000

describe('the rules of lanes', () => {
  it.each([
    { nextAt: undefined, blockedUntil: 0, goesOn: false, readyAt: undefined },
    { nextAt: 0, blockedUntil: 0, goesOn: true, readyAt: 0 },
    { nextAt: NOW, blockedUntil: 0, goesOn: true, readyAt: 0 },
    { nextAt: NOW + 1, blockedUntil: 0, goesOn: false, readyAt: NOW + 1 },
    { nextAt: 0, blockedUntil: NOW + 5, goesOn: false, readyAt: NOW + 5 },
    { nextAt: NOW + 9, blockedUntil: NOW + 5, goesOn: false, readyAt: NOW + 9 },
    { nextAt: undefined, blockedUntil: NOW + 5, goesOn: false, readyAt: undefined },
  ])('a holder goes on, or releases the lane until its next work is ready: %j', ({ goesOn, readyAt, ...times }) => {
    expect(canGoOn(times, NOW)).toBe(goesOn)
    expect(readyAfterRelease(times, NOW)).toBe(readyAt)
  })

  it('a lease that ends a minute after any lease of now is impossible, and so is a longer wait of a send [F-61]', () => {
    const { lease, send } = impossibleAfter(NOW, LEASE_MS)
    expect(lease).toBe(NOW + LEASE_MS + 60_000)
    // A send waits 60 s at most, and a probe as long.
    expect(send).toBeGreaterThan(NOW + 60_000)
    expect(send).toBeLessThan(NOW + 120_000)
  })

  it.each([
    { title: 'released by a clock an hour ahead', since: NOW + HOUR, readyAt: NOW + 7 * HOUR, back: HOUR },
    { title: 'released a minute ahead at most', since: NOW + 60_000, readyAt: NOW + 7 * HOUR, back: 0 },
    { title: 'released by the clock of now', since: NOW - 5, readyAt: NOW + 7 * HOUR, back: 0 },
    { title: 'ready soon anyway', since: NOW + HOUR, readyAt: NOW + 60_000, back: 0 },
  ])('a back-off in a lane $title is shortened by $back ms [F-61]', ({ since, readyAt, back }) => {
    expect(rollbackOf({ since, readyAt }, NOW)).toBe(back)
  })
})
