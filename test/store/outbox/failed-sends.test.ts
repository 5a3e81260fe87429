import { describe, expect, it } from 'vitest'
import { A_RERUN_ASKS, causeOfReport, isReported, whenToReport } from '../../../src/store/outbox/failed-sends.ts'
import { SEND_STATES } from '../../../src/store/database/outbox-tables.ts'

const ended = { state: 'refused', code: 'validation_error', cause: 'app', awaitedUntil: undefined } as const

describe('a send that has ended', () => {
  it('is reported if it failed, and not if it was cancelled [F-107]', () => {
    const told = SEND_STATES.filter((state) => isReported({ ...ended, state, code: undefined }, false))
    expect(told).toEqual(['refused', 'unknown', 'lost_code'])
    expect(isReported({ ...ended, state: 'skipped', code: 'stale' }, false)).toBe(true)
    expect(isReported({ ...ended, state: 'skipped', code: 'agent' }, false)).toBe(false)
    expect(isReported({ ...ended, state: 'skipped', code: 'taken_over' }, false)).toBe(false)
  })

  it('is not told of if a caller hears of it, and always if callers hear of no such end [F-107]', () => {
    expect(isReported(ended, true)).toBe(false)
    expect(isReported({ ...ended, awaitedUntil: A_RERUN_ASKS }, false)).toBe(false)
    expect(isReported({ ...ended, awaitedUntil: 1 }, false)).toBe(true)
    for (const state of ['unknown', 'lost_code'] as const)
      expect(isReported({ ...ended, state, awaitedUntil: A_RERUN_ASKS }, true)).toBe(true)
  })

  it('is not told of if a handler of failures sent it: that would never end [F-107]', () => {
    expect(isReported({ ...ended, cause: causeOfReport(7) }, false)).toBe(false)
  })
})

describe('a report whose turn has come', () => {
  const reported = { state: 'refused', settledAt: 5 } as const
  const now = { ...reported, awaitedUntil: undefined }

  it('is due while the send is as it was reported [F-107]', () => {
    expect(whenToReport({ reported, now }, 9)).toBe('due')
    expect(whenToReport({ reported, now: { ...now, state: 'dropped' } }, 9)).toBe('over')
    expect(whenToReport({ reported, now: { ...now, settledAt: 6 } }, 9)).toBe('over')
    expect(whenToReport({ reported, now: { ...now, state: 'ready', settledAt: undefined } }, 9)).toBe('over')
    expect(whenToReport({ reported, now: undefined }, 9)).toBe('over')
  })

  it('waits while a caller in another process may wait, and is over if that one has heard [F-107]', () => {
    expect(whenToReport({ reported, now: { ...now, awaitedUntil: 10 } }, 9)).toEqual({ at: 10 })
    expect(whenToReport({ reported, now: { ...now, awaitedUntil: 10 } }, 10)).toBe('due')
    expect(whenToReport({ reported, now: { ...now, awaitedUntil: A_RERUN_ASKS } }, 9)).toBe('over')
    const unknown = { ...reported, state: 'unknown' } as const
    expect(whenToReport({ reported: unknown, now: { ...unknown, awaitedUntil: A_RERUN_ASKS } }, 9)).toBe('due')
  })
})
