import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from 'switchhook/emulator'
import { countsOf } from '../support/counts-of.ts'
import type { Point } from '../../tools/torture/app.ts'
import { freePort } from '../support/free-port.ts'
import { openHarness, SECRET, type Harness } from '../../tools/torture/processes.ts'

const CUSTOMERS = ['255712000101', '255712000102', '255712000103']

/** `promise.test.ts` kills at the points that come later. */
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
    const ids = await killAt('accepted', CUSTOMERS.length)
    expect(await states('deliveries')).toEqual({ stored: 3 })
    expect(await states('items')).toEqual({ running: 3 })
    await repliesOnce()
    for (const { attempts } of await acknowledged(ids)) {
      expect(attempts.at(-1)).toMatchObject({ status: 200, response: { body: '{"status":"duplicate"}' } })
      expect(attempts.length).toBeGreaterThan(1)
    }
    expect(starts()).toEqual([2, 2, 2])
  })

  it('after the answer and before it is ingested, if that was left for later: handled after the restart [R DEL-02, R DEL-04, F-46]', async () => {
    // The deliveries are ingested together, so the process halts at the first of them.
    await killAt('answered', 1, acknowledged)
    expect(await states('items')).toEqual({})
    await repliesOnce()
    expect(starts()).toEqual([1, 1, 1])
  })

  /** Three customers write; when so many messages have reached the point, the process is killed. */
  async function killAt(point: Point, count: number, before?: typeof acknowledged): Promise<string[]> {
    const app = await harness.launch({ port, emulator, haltAt: point })
    const written = await Promise.all(
      CUSTOMERS.map((customer) => emulator.customer(customer).says(`hello ${customer}`)),
    )
    const ids = written.flatMap(({ deliveryIds }) => deliveryIds)
    await app.reported((report) => report.kind === 'at' && report.point === point, count)
    await before?.(ids)
    await app.end('SIGKILL')
    return ids
  }

  /** Another process handles each message, and each customer has one reply. */
  async function repliesOnce(): Promise<void> {
    await harness.launch({ port, emulator })
    // Three messages, and what the service tells of three replies: a state before that can be over too soon to be seen.
    await expect.poll(() => states('items')).toEqual({ done: 6 })
    await expect.poll(() => states('sends')).toEqual({ accepted: 3 })
    const threads = await Promise.all(CUSTOMERS.map((customer) => emulator.customer(customer).thread()))
    const replies = threads.map((thread) => thread.filter(({ direction }) => direction === 'OUTBOUND').length)
    expect(replies).toEqual([1, 1, 1])
  }

  async function acknowledged(ids: readonly string[]) {
    const is200 = (id: string) =>
      emulator.deliveries.wait((delivery) => delivery.id === id && delivery.attempts.at(-1)?.status === 200, 60_000)
    return Promise.all(ids.map(is200))
  }

  async function states(of: 'deliveries' | 'items' | 'sends'): Promise<Record<string, number>> {
    const { ignored: _, ...counted } = (await countsOf(harness.database))[of]
    return counted
  }

  /** The attempt with which each run of a handler began. */
  const starts = () =>
    harness
      .notes()
      .filter(({ what }) => what === 'start')
      .map(({ attempt }) => attempt)
})
