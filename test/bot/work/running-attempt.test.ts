import { describe, expect, it } from 'vitest'
import { AttemptClock } from '../../../src/bot/work/running-attempt.ts'
import { manualTime } from '../../emulator/support/time.ts'

const DEADLINE_MS = 30_000
const HOUR = 3_600_000

describe('the deadline of an attempt', () => {
  function begin() {
    const time = manualTime()
    const clock = { ahead: 0 }
    const now = () => time.wall().getTime() + clock.ahead
    const attempt = new AttemptClock(DEADLINE_MS, time.timers, now, { given: false, end: () => {} })
    return { time, clock, attempt }
  }

  it('does not run while the attempt waits for a reply [F-56]', async () => {
    const { time, attempt } = begin()
    time.pass(10_000)
    await attempt.paused(async () => time.pass(HOUR))
    time.pass(DEADLINE_MS - 10_000 - 1)
    expect(attempt.signal.aborted).toBe(false)
    time.pass(1)
    expect(attempt.signal.aborted).toBe(true)
  })

  it('is not put off by a clock that goes back: what hangs keeps its lane no longer for it [F-61]', async () => {
    const { time, clock, attempt } = begin()
    time.pass(10_000)
    clock.ahead = -HOUR
    await attempt.paused(async () => {})
    time.pass(DEADLINE_MS)
    expect(attempt.signal.aborted).toBe(true)
  })

  it('has passed for a signal that a handler asks for afterwards, too', () => {
    const { time, attempt } = begin()
    time.pass(DEADLINE_MS)
    expect(attempt.signal.aborted).toBe(true)
    expect(attempt.signal.reason).toMatchObject({ code: 'attempt_over' })
  })

  it('ends all effects: whatever begins after it, or after the handlers have returned, does not run [F-56]', async () => {
    const cut = begin()
    cut.time.pass(DEADLINE_MS)
    const returned = begin()
    returned.attempt.finish()
    for (const { attempt } of [cut, returned]) {
      let ran = false
      const effect = attempt.paused(async () => {
        ran = true
      })
      await expect(effect).rejects.toMatchObject({ code: 'attempt_over' })
      expect(() => attempt.check()).toThrow('attempt is not active')
      expect(ran).toBe(false)
    }
  })
})
