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
  expect(read().accepted).toEqual([1, ...Array<number>(58).fill(0), 1])
  expect(read()).toMatchObject({ handled: { 0: 2 }, waitedMs: { 0: 1_200, 59: 0 }, unsent: { 59: 1 } })
  now += MINUTE
  expect(read().handled).toEqual(Array<number>(60).fill(0))
  expect(read().accepted.at(-2)).toBe(1)
})
