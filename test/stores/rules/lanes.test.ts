import { describe, expect, it } from 'vitest'
import { canGoOn, impossibleAfter, readyAfterRelease } from '../../../src/stores/rules/items.ts'

const NOW = 10_000_000
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

  it('a lease that ends more than a minute after any lease of now is impossible [F-61]', () => {
    expect(impossibleAfter(NOW, LEASE_MS)).toBe(NOW + LEASE_MS + 60_000)
  })
})
