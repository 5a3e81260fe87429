import { expect, it, onTestFinished } from 'vitest'
import { createClock } from '../../../src/base/clock.ts'
import { watchBacklog } from '../../../src/store/maintenance/maintenance.ts'
import { manualTime } from '../../emulator/support/time.ts'

/** Looks at a wait that a test sets, in seconds; undefined if nothing waits. */
function watched() {
  const time = manualTime()
  const clock = createClock(time.wall)
  const at = { waits: undefined as number | undefined | Error, said: [] as number[] }
  const backlog = watchBacklog({
    store: {
      async waitingSince(now) {
        if (at.waits instanceof Error) throw at.waits
        return at.waits === undefined ? undefined : now - at.waits * 1_000
      },
    },
    clock,
    timers: time.timers,
    report: (ms) => at.said.push(ms / 1_000),
  })
  onTestFinished(() => backlog.stop())
  const look = async (waits: typeof at.waits) => {
    at.waits = waits
    time.pass(15_000)
    await expect.poll(() => time.running).toBe(1)
    return backlog.waitedMs() / 1_000
  }
  return { at, look, backlog, time }
}

it('a wait of a minute is reported, and again each time that it has doubled, until it ends [F-108]', async () => {
  const { at, look } = watched()
  for (const seconds of [59, 60, 70, 119, 125, 200, 241, 500]) expect(await look(seconds)).toBe(seconds)
  expect(at.said).toEqual([60, 125, 241, 500])
  expect(await look(undefined)).toBe(0)
  await look(61)
  expect(at.said).toEqual([60, 125, 241, 500, 61])
})

it('a store that cannot be read, and a clock that went back, are no wait, and checks continue [F-108]', async () => {
  const { at, look } = watched()
  expect(await look(-7_200)).toBe(0)
  await look(new Error('closed'))
  expect(await look(90)).toBe(90)
  expect(at.said).toEqual([90])
})
