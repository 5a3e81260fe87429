import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from 'switchhook/emulator'
import { read } from '../store/sqlite-backend.ts'
import { countsOf } from '../support/counts-of.ts'
import type { Point } from '../../tools/torture/app.ts'
import { freePort } from '../support/free-port.ts'
import { openHarness, SECRET, type Harness } from '../../tools/torture/processes.ts'

const CUSTOMERS = ['255712000101', '255712000102', '255712000103']

describe('a process killed with SIGKILL', () => {
  let harness: Harness
  let emulator: Emulator
  let port: number
  beforeEach(async () => {
    harness = openHarness()
    port = await freePort()
    emulator = await createEmulator({
      webhook: `http://127.0.0.1:${port}/webhooks/messages`,
      secret: SECRET,
      assumptions: { retryAfterMs: [500, 1_500, 3_000], keysRememberedFor: '24h' },
    })
  })
  afterEach(async () => {
    await emulator.close()
    await harness[Symbol.asyncDispose]()
  })

  it('after a delivery’s commit and before its answer: delivered again it is a duplicate, and handled once; the attempt that began in that commit counts [R DEL-02, F-46]', async () => {
    await killAt('accepted')
    expect(await states('deliveries')).toEqual({ stored: 3 })
    expect(await states('items')).toEqual({ running: 3 })
    await restart()
    await everythingOnce()
    for (const { attempts } of await messages()) {
      expect(attempts.at(-1)).toMatchObject({ status: 200, response: { body: '{"status":"duplicate"}' } })
      expect(attempts.length).toBeGreaterThan(1)
    }
    expect(lastAttempts()).toEqual([2, 2, 2])
    expect(starts()).toHaveLength(3)
  })

  it('after the answer and before it is ingested, if that was left for later: handled after the restart [R DEL-02, R DEL-04, F-46]', async () => {
    const ids = await killAt('answered', acknowledged)
    expect(await states('items')).toEqual({})
    expect(ids).toHaveLength(3)
    await restart()
    await everythingOnce()
    expect(lastAttempts()).toEqual([1, 1, 1])
  })

  it('in a handler: run again at once, with one attempt more on its count [F-47]', async () => {
    await killAt('handling')
    await restart()
    await everythingOnce()
    expect(lastAttempts()).toEqual([2, 2, 2])
    expect(starts()).toHaveLength(6)
  })

  it('in an attempt, before a byte left: sent after the restart, once [B IDEM-07, F-65]', async () => {
    await killAt('attempting')
    expect(await replies()).toEqual([0, 0, 0])
    await restart()
    await everythingOnce()
    expect(sends().map(({ attempts }) => attempts)).toEqual([2, 2, 2])
  })

  it('in an attempt that the service took: repeated under its key with the same bytes, once on the phone [B IDEM-07, F-65]', async () => {
    await killAt('sent')
    expect(await replies()).toEqual([1, 1, 1])
    expect(await states('sends')).toEqual({ attempting: 3 })
    await restart()
    await everythingOnce()
    expect(sends()).toMatchObject(Array.from({ length: 3 }, () => ({ attempts: 2, possibly_twice: 0 })))
  })

  it('between the service’s answer and its record: repeated under its key, once on the phone [B IDEM-07, F-65]', async () => {
    await killAt('accepted by the service')
    expect(await replies()).toEqual([1, 1, 1])
    await restart()
    await everythingOnce()
  })

  it('after the reply and before the settlement: the handler runs again, the reply does not [F-47]', async () => {
    // A handler continues when its reply is accepted, and perhaps before that is written.
    await killAt('replied', allAccepted)
    expect(await replies()).toEqual([1, 1, 1])
    // A handler continues moments before its send's acceptance is written.
    expect(['accepted', 'attempting']).toEqual(expect.arrayContaining(Object.keys(await states('sends'))))
    await restart()
    await everythingOnce()
    expect(lastAttempts()).toEqual([2, 2, 2])
  })

  /** Three customers write; when all three messages have reached the point, the process is killed. */
  async function killAt(point: Point, before?: (ids: readonly string[]) => PromiseLike<void>): Promise<string[]> {
    const app = await harness.launch({ port, emulator, haltAt: point })
    const written = await Promise.all(
      CUSTOMERS.map((customer) => emulator.customer(customer).says(`hello ${customer}`)),
    )
    const ids = written.flatMap(({ deliveryIds }) => deliveryIds)
    // The deliveries are ingested together, so the process halts at the first of them.
    await app.reported(
      (report) => report.kind === 'at' && report.point === point,
      point === 'answered' ? 1 : CUSTOMERS.length,
    )
    await before?.(ids)
    await app.end('SIGKILL')
    return ids
  }

  async function restart(): Promise<void> {
    await harness.launch({ port, emulator })
    await expect.poll(() => states('items')).toEqual({ done: 3 })
    await allAccepted()
  }

  const allAccepted = () => expect.poll(() => states('sends')).toEqual({ accepted: 3 })

  /** Each message was handled, and each customer has one reply to it. */
  async function everythingOnce(): Promise<void> {
    expect(await replies()).toEqual([1, 1, 1])
    expect(await states('items')).toEqual({ done: 3 })
    expect(await states('sends')).toEqual({ accepted: 3 })
    expect(read(harness.database, 'SELECT * FROM work')).toEqual([])
    expect(read(harness.database, 'SELECT * FROM sends WHERE place IS NOT NULL')).toEqual([])
    expect(read(harness.database, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    await acknowledged((await messages()).map(({ id }) => id))
  }

  async function acknowledged(ids: readonly string[]): Promise<void> {
    const is200 = (id: string) =>
      emulator.deliveries.wait((delivery) => delivery.id === id && delivery.attempts.at(-1)?.status === 200, 60_000)
    await Promise.all(ids.map(is200))
  }

  async function messages() {
    return (await emulator.deliveries.list()).filter(({ event }) => event === 'message.received')
  }

  /** The number of replies on each phone. */
  async function replies(): Promise<number[]> {
    const threads = await Promise.all(CUSTOMERS.map((customer) => emulator.customer(customer).thread()))
    return threads.map((thread) => thread.filter(({ direction }) => direction === 'OUTBOUND').length)
  }

  async function states(of: 'deliveries' | 'items' | 'sends'): Promise<Record<string, number>> {
    const { ignored: _, ...counted } = (await countsOf(harness.database))[of]
    return counted
  }

  const sends = () => read(harness.database, 'SELECT * FROM sends')
  const starts = () => harness.notes().filter(({ what }) => what === 'start')
  /** The attempts in which the messages were handled at last. */
  const lastAttempts = () =>
    starts()
      .slice(-CUSTOMERS.length)
      .map(({ attempt }) => attempt)
})
