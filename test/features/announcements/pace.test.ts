import { describe, expect, it } from 'vitest'
import { firstPace, pacedClaim } from '../../../src/features/announcements/store/pace.ts'

const T0 = 1_000_000_000

/** Claims whenever the rule says, with room for all; returns how many recipients that were in a span. */
function claimedIn(perHour: number, spanMs: number, lateMs = 0): number {
  let pace: { perHour: number; pacedTo: number | undefined; nextAt: number } = {
    perHour,
    pacedTo: undefined,
    nextAt: T0,
  }
  let claimed = 0
  for (let now = T0; ; ) {
    now = firstPace(pace, now) + lateMs
    if (now >= T0 + spanMs) return claimed
    const { most, moved } = pacedClaim(pace, now, 1_000)
    claimed += most
    pace = { perHour, ...moved(most) }
  }
}

describe('the pace of an announcement', () => {
  it.each([1, 6, 7, 60, 600, 1_000, 7_777, 60_000])('has %i places a minute, within 5 %%', (perMinute) => {
    const minutes = Math.max(10, 100 / perMinute)
    for (const lateMs of [0, 30]) {
      const claimed = claimedIn(perMinute * 60, minutes * 60_000, lateMs)
      expect(Math.abs(claimed / (perMinute * minutes) - 1)).toBeLessThanOrEqual(0.05)
    }
  })

  it('makes up for seconds, and not for a longer stop', () => {
    const pace = { perHour: 3_600, pacedTo: T0, nextAt: T0 }
    expect(pacedClaim(pace, T0 + 3_000, 64).most).toBe(4)
    expect(pacedClaim(pace, T0 + 3_600_000, 64).most).toBe(1)
  })

  it('does not wait for a clock that was set back', () => {
    const pace = { perHour: 3_600, pacedTo: T0 + 86_400_000, nextAt: T0 + 86_400_000 }
    expect(firstPace(pace, T0)).toBe(T0)
    expect(pacedClaim(pace, T0, 64).most).toBe(1)
    expect(firstPace({ ...pace, pacedTo: undefined }, T0)).toBe(T0 + 86_400_000)
  })
})
