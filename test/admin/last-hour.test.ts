import { expect, it } from 'vitest'
import { countLastHour } from '../../src/admin/last-hour.ts'

const MINUTE = 60_000

it('the last hour is counted by the minute, and older minutes are forgotten', () => {
  let now = 1_000 * MINUTE
  const { hooks, read } = countLastHour(() => now)
  const report = (name: keyof typeof hooks, waitedMs?: number) => hooks[name]?.({ waitedMs } as never)
  report('accepted')
  report('handled', 1_200)
  report('handled', 300)
  now += 59 * MINUTE
  report('accepted')
  report('send_refused')
  expect(read()).toEqual({ accepted: 2, handled: 2, failed: 0, sent: 0, unsent: 1, waitedMs: 1_200 })
  now += MINUTE
  expect(read()).toEqual({ accepted: 1, handled: 0, failed: 0, sent: 0, unsent: 1, waitedMs: 0 })
})
