import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createClock } from '../../../src/base/clock.ts'
import { Maintenance } from '../../../src/store/maintenance/maintenance.ts'
import type { Store, Compacted } from '../../../src/store/store.ts'
import { type ManualTime, manualTime } from '../../emulator/support/time.ts'
import type { Pruned, Pruning } from '../../../src/store/maintenance/prune.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const RETENTION = { bytesMs: 7 * DAY, idsMs: 30 * DAY }
const END: Pruned = { wiped: 0, removed: 0, strays: 0, next: undefined }

describe('maintenance', () => {
  let time: ManualTime
  let prunings: Pruning[]
  let tidied: number
  let lines: string[]
  let counted: unknown[]
  /** The results of the next prunes; after them nothing is left. */
  let steps: (Pruned | Error)[]
  let tidy: Compacted
  let erasings: number
  /** The answers of the next portions of erasing. */
  let portions: boolean[]
  beforeEach(() => {
    time = manualTime()
    prunings = []
    tidied = 0
    erasings = 0
    portions = []
    lines = []
    counted = []
    steps = []
    tidy = { whole: true, logBytes: 0 }
  })

  function keep(retention: typeof RETENTION | null = RETENTION) {
    const store = {
      async prune(pruning: Pruning) {
        prunings.push(pruning)
        const step = steps.shift() ?? END
        if (step instanceof Error) throw step
        return step
      },
      async eraseForgotten() {
        erasings++
        return portions.shift() ?? false
      },
      async compact() {
        tidied++
        return tidy
      },
    } as Partial<Store> as Store
    const say = (_about: unknown, message?: string) => void lines.push(message ?? '')
    const log = { debug: (about: unknown) => void counted.push(about), info: say, warn: say, error: say }
    const keeper = new Maintenance({
      store,
      clock: createClock(time.wall),
      timers: time.timers,
      log,
      retention: retention ?? undefined,
    })
    onTestFinished(() => keeper.stop())
    return keeper
  }

  it('leaves an hour to the process that has begun to prune in it, and checks again after that hour [F-59]', async () => {
    const start = time.wall().getTime()
    steps = [{ ...END, begunAt: start - 10 * MINUTE }]
    keep()
    await turns()
    time.pass(50 * MINUTE - 1)
    await turns()
    expect(prunings).toHaveLength(1)
    time.pass(1)
    await turns()
    expect(prunings.map(({ unlessSince = Number.NaN }) => unlessSince - start)).toEqual([-HOUR, -10 * MINUTE])
  })

  it('continues after a failure, even if the hour is now its own [F-52, F-59]', async () => {
    steps = [{ ...END, wiped: 2, next: { stage: 'rows', at: [] } }, new Error('busy')]
    keep()
    await turns()
    time.pass(MINUTE)
    await turns()
    expect(prunings.map((pruning) => 'unlessSince' in pruning)).toEqual([true, true, false])
  })

  it('says in the log how much a pruning removed, over all its steps [B EVT-04, F-59]', async () => {
    steps = [
      { wiped: 3, removed: 1, strays: 0, next: { stage: 'strays', at: [] } },
      { wiped: 0, removed: 1, strays: 2, next: undefined },
    ]
    keep()
    await turns()
    time.pass(HOUR)
    await turns()
    expect(counted).toEqual([{ wiped: 3, removed: 2, strays: 2 }])
  })

  it('prunes at start and every hour, by the ages at that time, and compacts afterwards [F-59]', async () => {
    const start = time.wall().getTime()
    keep()
    await turns()
    expect(prunings).toEqual([
      {
        bytesBefore: start - 7 * DAY,
        idsBefore: start - 30 * DAY,
        now: start,
        unlessSince: start - HOUR,
        limit: expect.any(Number),
      },
    ])
    time.pass(HOUR - 1)
    await turns()
    expect([prunings.length, tidied]).toEqual([1, 1])
    time.pass(1)
    await turns()
    expect([prunings.length, tidied]).toEqual([2, 2])
    expect(prunings[1]?.now).toBe(start + HOUR)
    expect(lines).toEqual([])
  })

  it('without ages erases forgotten customers, compacts then, and leaves pruning to others [F-59]', async () => {
    const keeper = keep(null)
    time.pass(HOUR)
    await turns()
    expect([erasings, tidied]).toEqual([0, 0])
    portions = [true]
    keeper.wake()
    await turns()
    time.pass(2 * HOUR)
    await turns()
    expect([erasings, tidied, prunings.length, time.running]).toEqual([2, 1, 0, 0])
  })

  it('tries each minute to cut a log that something reads, and does not prune more often [F-53, F-89]', async () => {
    tidy = { whole: false, logBytes: 4_096 }
    keep()
    await turns()
    for (let minute = 0; minute < 3; minute++) {
      time.pass(MINUTE)
      await turns()
    }
    expect([prunings.length, tidied]).toEqual([1, 4])
    tidy = { whole: true, logBytes: 0 }
    time.pass(MINUTE)
    await turns()
    time.pass(MINUTE)
    await turns()
    expect([prunings.length, tidied]).toEqual([1, 5])
    expect(lines).toEqual([])
  })

  it('logs a failure, and tries again after a minute [F-52]', async () => {
    steps = [new Error('busy')]
    keep()
    await turns()
    expect(lines).toEqual([expect.stringContaining('the maintenance of the database failed')])
    time.pass(MINUTE)
    await turns()
    expect([prunings.length, tidied]).toEqual([2, 1])
  })

  it('erases a forgotten customer at once, in portions, and compacts once [F-89]', async () => {
    const keeper = keep()
    await turns()
    portions = [true, true]
    keeper.wake()
    await turns()
    expect([prunings.length, erasings, tidied]).toEqual([1, 1 + 3, 2])
  })

  it('ends after the running transaction when it is stopped, and begins nothing more [F-58]', async () => {
    const next = { stage: 'bytes', at: [5, 3] } as const
    steps = [
      { ...END, wiped: 1, next },
      { ...END, wiped: 1, next },
    ]
    const keeper = keep()
    await keeper.stop()
    time.pass(2 * HOUR)
    await turns()
    expect([prunings.length, tidied]).toEqual([1, 0])
  })
})

async function turns(): Promise<void> {
  for (let count = 0; count < 3; count++) await new Promise((resolve) => setImmediate(resolve))
}
