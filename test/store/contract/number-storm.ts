import { expect, it } from 'vitest'
import { createClock } from '../../../src/base/clock.ts'
import { silent } from '../../../src/base/log.ts'
import { LEASE_MS } from '../../../src/lanes/lease.ts'
import { createLaneRunner } from '../../../src/lanes/runner.ts'
import type { Fence, StartedItem } from '../../../src/store/types/index.ts'
import { manualTime } from '../../emulator/support/time.ts'
import { turn } from '../../lanes/fake-lanes.ts'
import type { Stage } from './index.ts'
import { delivery, ingested, item } from '../samples.ts'

const LANES = 8
const HANDLER_MS = 100
const STEP_MS = 5
const SPAN_MS = 1_000
const QUIET_EVERY_MS = 135

/** The customers of the noisy number who write at a moment, counted from the beginning. */
type Storm = (ms: number) => readonly string[]

const people = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `${from + index}`)

const STORMS: readonly (readonly [string, Storm])[] = [
  ['sixty customers write at once', (ms) => (ms === 0 ? people(60) : [])],
  ['each of twenty customers writes five messages', (ms) => (ms === 0 ? people(100).map((one) => `${+one % 20}`) : [])],
  ['more customers keep coming than can be handled', (ms) => (ms % 100 === 0 ? people(12, ms * 100) : [])],
  ['one customer writes fifty messages', (ms) => (ms === 0 ? people(50).map(() => '1') : [])],
]

/** A storm of one number, through the lane runner that a bot of two numbers has. */
export function numberStorm(at: Stage): void {
  it.for(STORMS)('delays another number’s median by at most a quarter: %s [F-55]', async ([, storm]) => {
    const alone = await medianOfQuiet('alone', () => [])
    expect(alone).toBeGreaterThanOrEqual(HANDLER_MS)
    expect(await medianOfQuiet('stormy', storm)).toBeLessThanOrEqual(1.25 * alone)
  })

  /** The time from a message of the quiet number to the end of its handler, in the middle of all. */
  async function medianOfQuiet(quiet: string, storm: Storm): Promise<number> {
    const time = manualTime()
    const started = time.monotonic()
    const clock = createClock(time.wall)
    const waits: number[] = []
    const arrivedAt = new Map<string, number>()
    const owner = `process of ${quiet}`
    let underWay = 0
    const track = async <T>(asked: Promise<T>): Promise<T> => {
      underWay++
      return asked.finally(() => underWay--)
    }

    const runner = createLaneRunner<StartedItem>({
      store: at.store,
      owner,
      lanes: LANES,
      numbers: 2,
      clock,
      timers: time.timers,
      log: silent,
      work: {
        claim: (claim) => track(at.store.claimItems(claim)),
        async run(fence: Fence, { id, number, customer = '' }, turns) {
          await new Promise<void>((ended) => void time.timers.after(HANDLER_MS, ended))
          if (number === quiet) waits.push(time.monotonic() - (arrivedAt.get(customer) ?? Number.NaN))
          const { goOn, room } = turns.end()
          return (await track(at.store.settleItem(fence, id, { as: 'done' }, { now: clock.wall(), goOn, room }))).next
        },
      },
    })

    const write = (number: string, customer: string) =>
      track(
        runner.begin(async (room) => {
          const now = clock.wall()
          const message = item({ number, customer, lane: `${number}/${customer}`, at: now })
          const begin = { owner, now, leaseMs: LEASE_MS, room }
          const { started: begun } = await at.store.accept(delivery({ receivedAt: now }), {
            ingested: ingested(message),
            begin,
            // However slow the machine is.
            waitMs: 60_000,
          })
          return begun ? [begun] : []
        }),
      )

    const settled = async () => {
      for (let calm = 0; calm < 3; calm = underWay > 0 ? 0 : calm + 1) await turn()
    }

    for (let ms = 0; ms < SPAN_MS; ms += STEP_MS) {
      for (const customer of storm(ms)) void write('noisy', customer)
      if (ms % QUIET_EVERY_MS === 0) {
        arrivedAt.set(`${ms}`, time.monotonic())
        void write(quiet, `${ms}`)
      }
      await settled()
      time.pass(STEP_MS)
      await settled()
    }
    const stopped = runner.stop(0)
    time.pass(HANDLER_MS)
    await settled()
    time.pass(HANDLER_MS)
    await stopped
    expect(time.monotonic() - started).toBeGreaterThan(SPAN_MS)
    expect(waits.length).toBeGreaterThanOrEqual(Math.floor((SPAN_MS - 2 * HANDLER_MS) / QUIET_EVERY_MS))
    return waits.sort((a, b) => a - b)[Math.floor(waits.length / 2)] ?? Number.NaN
  }
}
