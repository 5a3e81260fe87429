import { expect, it } from 'vitest'
import { resting } from '../../../src/features/people/desk/live.ts'
import { createClock } from '../../../src/base/clock.ts'

it('a check of the desk rests after a millisecond of work, and not before', async () => {
  let now = 0
  const rests: number[] = []
  const clock = createClock(
    () => new Date(0),
    () => now,
  )
  const timers = {
    after(ms: number, run: () => void) {
      rests.push(ms)
      now += ms
      queueMicrotask(run)
      return () => {}
    },
  }
  const rest = resting({ clock, timers })
  now = 0.9
  await rest()
  expect(rests).toEqual([])
  now = 1
  await rest()
  expect(rests).toEqual([4])
  await rest()
  now += 0.9
  await rest()
  expect(rests).toHaveLength(1)
  now += 0.2
  await rest()
  expect(rests).toHaveLength(2)
})
