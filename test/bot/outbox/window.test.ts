import { describe, expect, it } from 'vitest'
import { windowAt } from '../../../src/bot/outbox/window.ts'

const HOUR = 3_600_000
const last = Date.UTC(2026, 2, 4, 9, 15, 21)

describe('the 24-hour window', () => {
  it('is open until 23:59:59.999 after the last message and closed at exactly 24 hours [B GEN-04, F-90]', () => {
    expect(windowAt(last, last + 24 * HOUR - 1).open).toBe(true)
    expect(windowAt(last, last + 24 * HOUR).open).toBe(false)
    expect(windowAt(last, last).closesAt).toEqual(new Date('2026-03-05T09:15:21.000Z'))
  })

  it('is unknown if no message with a trusted time has arrived [B GEN-04]', () => {
    expect(windowAt(undefined, last)).toEqual({ open: 'unknown', closesAt: undefined })
  })
})
