import { describe, expect, it } from 'vitest'
import { createClock } from '../../../src/base/clock.ts'
import { clockOver } from '../../../src/store/sqlite/sqlite-store.ts'
import { seqOf } from '../../store/acts.ts'
import { delivery, ingested, item } from '../../store/samples.ts'
import { template } from '../../../src/bot/switchhook.ts'
import { ASHA, type Bench, eachWithBench, STORED, T0 } from './bench.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let bench: Bench
eachWithBench((one) => (bench = one))

const JUMA = '255712000102'
const NEEMA = '255712000103'

/** All have just written. */
async function opensWindow() {
  const windows = [ASHA, JUMA, NEEMA].map((customer) => ({ number: 'default', customer, lastAt: T0 }))
  const seq = await seqOf(bench.store, delivery())
  await bench.store.ingest(seq, { ...ingested(item({ state: 'ignored' })), windows }, T0)
}

it('a machine whose clock was a day ahead for five seconds refuses no text as outside the window [B GEN-04, F-61]', async () => {
  let ahead = 0
  const machine = () => bench.now() + ahead
  const stored = { clock: clockOver(machine, bench.now), timeOfDay: machine }
  await opensWindow()
  const { record } = bench.boot({ clock: createClock(undefined, bench.now, stored) })
  ahead = DAY
  await bench.pass(5_000)
  ahead = 0
  const sending = record('hello')
  await bench.pass(1_000)
  expect(await sending).toMatchObject({ via: 'freeform', send: { state: 'accepted' } })
})

describe.each([HOUR, -HOUR, DAY, -DAY])('a process whose clock is off by %i ms, beside one that is right', (skew) => {
  const clock = () =>
    createClock(
      () => new Date(bench.now() + skew),
      () => bench.now(),
    )

  it('refuses no text as outside the window, nor takes it for late, and neither process is declared dead [B GEN-04, F-61]', async () => {
    await opensWindow()
    const right = bench.boot()
    await bench.pass(4_000)
    const wrong = bench.boot({ clock: clock(), strict: false })
    // It has its lease, so that it sends what it records.
    await bench.pass(500)
    const sendings = [
      wrong.record('one'),
      right.record('two'),
      // To others, so that it is this process that sends them.
      wrong.record('three', { to: JUMA, reply: { expiresAt: T0 + HOUR / 2 } }),
      wrong.record('four', { to: NEEMA, options: { outsideWindow: template('order_ready', 'en', { body: ['7'] }) } }),
    ]
    await bench.pass(30_000)
    for (const sending of sendings)
      expect(await sending).toMatchObject({ via: 'freeform', send: { state: 'accepted' } })
    for (const name of ['process 1', 'process 2']) expect(await bench.store.renew(name, bench.now, 10_000)).toBe(true)
  })

  it('takes no reply for late, although nobody else is there to send it [B GEN-04, F-61]', async () => {
    await opensWindow()
    const right = bench.boot()
    await bench.pass(4_000)
    const wrong = bench.boot({ clock: clock() })
    await bench.pass(500)
    right.kill()
    const sending = wrong.record('hello', { reply: { expiresAt: T0 + HOUR / 2 } })
    await bench.pass(5_000)
    expect(await sending).toMatchObject({ send: { state: 'accepted' } })
  })

  it('takes over from the other within half a minute once that is gone [F-46]', async () => {
    const right = bench.boot()
    await bench.pass(4_000)
    bench.boot({ clock: clock() })
    await bench.pass(4_000)
    bench.service.script = ['mute']
    for (const text of ['hello', 'again']) void right.record(text, STORED)
    await bench.pass(1_000)
    right.kill()
    await bench.pass(30_000)
    // Of the first one the request is in doubt.
    expect((await bench.store.listSends({ limit: 1 })).sends).toMatchObject([{ state: 'accepted' }])
  })
})
