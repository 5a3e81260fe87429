import { expect, it } from 'vitest'
import { createEmulator } from 'switchhook/emulator'
import { read } from '../store/sqlite-backend.ts'
import { countsOf } from '../support/counts-of.ts'
import type { Point } from '../../tools/torture/app.ts'
import { freePort } from '../support/free-port.ts'
import { openHarness, SECRET } from '../../tools/torture/processes.ts'
import type { SendRow } from '../../src/store/database/outbox-tables.ts'

const ORDER_READY = { name: 'order_ready', language: 'en', body: 'Your order {{1}} is ready.' }

/** The messages on the phone in the end, the send's state, and its mark that there may be one more. */
type Fate = readonly [phone: 0 | 1 | 2, state: SendRow['state'], possiblyTwice: boolean]

const once: Fate = [1, 'accepted', false]
const onceAndMarked: Fate = [1, 'accepted', true]
const twiceAndMarked: Fate = [2, 'accepted', true]

interface Row {
  readonly killed: Point
  /** Of the reply in the end; a later point has a template beside it. */
  readonly attempts?: number
  /** If the service remembers or forgets its keys. */
  readonly remembered: Fate
  readonly forgotten: Fate
}

/** The promise: one message; if keys are forgotten, at most one extra, marked. */
const ROWS: readonly Row[] = [
  { killed: 'handling', attempts: 1, remembered: once, forgotten: once },
  { killed: 'recording', attempts: 1, remembered: once, forgotten: once },
  { killed: 'attempting', attempts: 2, remembered: once, forgotten: onceAndMarked },
  { killed: 'in flight', attempts: 2, remembered: once, forgotten: twiceAndMarked },
  { killed: 'sent', attempts: 2, remembered: once, forgotten: twiceAndMarked },
  { killed: 'accepted by the service', attempts: 2, remembered: once, forgotten: twiceAndMarked },
  { killed: 'replied', attempts: 1, remembered: once, forgotten: once },
  // From then on the text's outcome is unknown, and only an acceptance would settle it.
  { killed: 'falling back', remembered: [0, 'attempting', false], forgotten: [0, 'attempting', false] },
  { killed: 'turned', remembered: once, forgotten: once },
  { killed: 'attempting the fallback', remembered: once, forgotten: onceAndMarked },
  { killed: 'fallback sent', remembered: once, forgotten: twiceAndMarked },
]

const REPLIES = ROWS.filter(({ attempts }) => attempts !== undefined)
/** Longer than it takes to notice the request and to kill the process. */
const UPSTREAM_MS = 300

for (const [keysRememberedFor, column] of [
  ['24h', 'remembered'],
  ['until_settled', 'forgotten'],
] as const)
  it(`keeps its promise wherever it is killed, and runs each handler again at once: keys remembered ${keysRememberedFor} [B IDEM-05, B IDEM-06, B IDEM-07, F-47, F-64, F-65]`, async () => {
    await using harness = openHarness()
    const port = await freePort()
    await using emulator = await createEmulator({
      webhook: `http://127.0.0.1:${port}/webhooks/messages`,
      secret: SECRET,
      assumptions: { retryAfterMs: [500, 1_500, 3_000], upstreamMs: UPSTREAM_MS, keysRememberedFor },
    })
    await emulator.templates.add(ORDER_READY)
    const customerOf = (killed: Point) => String(255_712_000_101 + ROWS.findIndex((row) => row.killed === killed))
    const haltFor = Object.fromEntries(ROWS.map(({ killed }) => [customerOf(killed), killed]))

    const first = await harness.launch({ port, emulator, haltFor })
    const others = ROWS.filter(({ killed }) => killed !== 'in flight')
    for (const { killed, attempts } of others)
      if (attempts) await emulator.customer(customerOf(killed)).says('hello')
      else await emulator.customer(`2${customerOf(killed)}`).says(`tell ${customerOf(killed)}`)
    await first.reported((report) => report.kind === 'at', others.length)
    // The service processes this send for a moment only, so it comes last, when no other is under way.
    await expect.poll(keysInFlight).toBe(0)
    await emulator.customer(customerOf('in flight')).says('hello')
    await expect.poll(keysInFlight, { interval: 2 }).toBe(1)
    await first.end('SIGKILL')
    await expect.poll(keysInFlight).toBe(0)

    await harness.launch({ port, emulator })
    const expected = Object.fromEntries(ROWS.map((row) => [row.killed, row[column]]))
    await expect.poll(fates).toEqual(expected)
    // Handlers that ran when the process was killed have run again, without another send.
    await expect.poll(async () => (await countsOf(harness.database)).items['running'] ?? 0).toBe(1)
    expect(await fates()).toEqual(expected)
    for (const { killed, attempts } of REPLIES) {
      const customer = customerOf(killed)
      const runs = harness.notes().filter((note) => note.what === 'start' && note.customer === customer)
      // A handler continues when its reply is accepted, and may have ended before that is written.
      if (killed !== 'accepted by the service')
        expect([killed, runs.map(({ attempt }) => attempt)]).toEqual([killed, [1, 2]])
      const sends = read(harness.database, `SELECT attempts FROM sends WHERE customer = '${customer}'`)
      expect([killed, sends]).toEqual([killed, [{ attempts }]])
    }
    await expect.poll(() => read(harness.database, 'SELECT item FROM work')).toHaveLength(1)
    expect(read(harness.database, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])

    async function keysInFlight(): Promise<number> {
      return (await emulator.keys.list()).filter((key) => key.state === 'in_flight').length
    }

    async function fates(): Promise<Record<string, Fate>> {
      const rows = read(harness.database, 'SELECT customer, state, possibly_twice FROM sends')
      const fate = async ({ killed }: Row) => {
        const customer = customerOf(killed)
        const thread = await emulator.customer(customer).thread()
        const arrived = thread.filter(({ direction, refused }) => direction === 'OUTBOUND' && !refused)
        const row = rows.find((one) => one['customer'] === customer)
        return [killed, [arrived.length, row?.['state'], row?.['possibly_twice'] === 1]]
      }
      return Object.fromEntries(await Promise.all(ROWS.map(fate))) as Record<string, Fate>
    }
  })
