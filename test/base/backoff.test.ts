import { describe, expect, it } from 'vitest'
import { type Backoff, backoffMs } from '../../src/base/clock.ts'

const full: Backoff = { firstMs: 1_000, longestMs: 60_000, jitter: 'full' }
const half: Backoff = { ...full, jitter: 'half' }
const waits = (backoff: Backoff, random: number, failures = [1, 2, 3, 6, 7, 2_000]) =>
  failures.map((nth) => backoffMs(nth, backoff, () => random))

describe('a back-off', () => {
  it('doubles with each failure, up to its longest wait, however many failures there were', () => {
    expect(waits(full, 1)).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000])
    expect(waits(half, 1)).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000])
  })

  it('with full jitter is any part of that wait', () => {
    expect(waits(full, 0)).toEqual([0, 0, 0, 0, 0, 0])
    expect(waits(full, 0.25)).toEqual([250, 500, 1_000, 8_000, 15_000, 15_000])
  })

  it('with half jitter is at least half of that wait', () => {
    expect(waits(half, 0)).toEqual([500, 1_000, 2_000, 16_000, 30_000, 30_000])
    expect(waits(half, 0.5)).toEqual([750, 1_500, 3_000, 24_000, 45_000, 45_000])
  })

  it('is in whole milliseconds, and before the first failure half of the first wait', () => {
    expect(waits(full, 1 / 3, [0, 1])).toEqual([167, 334])
  })
})
