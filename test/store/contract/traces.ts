import { expect, it } from 'vitest'
import { begin, dueSend, handle, seqOf } from '../acts.ts'
import { beginning, BEGINS, delivery, ingested, item, LEASE_MS, retryAt, send, T0 } from '../samples.ts'
import type { Stage } from './index.ts'
import type { Accepted } from '../../../src/store/inbox/accept.ts'

const RECEIVED = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const ATTEMPTED = '00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01'
const NEXT = { now: T0, goOn: false }

/** The trace of a delivery goes with it through the database, for whichever process continues. */
export function traces(at: Stage): void {
  it('come with an item to the process that begins it, at once or later', async () => {
    const given = delivery({ trace: RECEIVED })
    const { started }: Accepted = await at.store.accept(given, { ingested: ingested(item()), begin: BEGINS })
    expect(started?.work.delivery.trace).toBe(RECEIVED)
    const { item: rerun } = await begin(at.store, { processName: 'two', now: T0 + LEASE_MS })
    expect(rerun).toMatchObject({ attempt: 2, delivery: { trace: RECEIVED } })
  })

  it('of a failed attempt come with the next one, and with no later one', async () => {
    await at.store.ingest(await seqOf(at.store, delivery()), ingested(item()), T0)
    const failure = { attempt: 1, route: 'otherwise', frames: [], trace: ATTEMPTED }
    const retry = retryAt(T0)
    expect((await handle(at.store, { ...retry, failure })).failedTrace).toBeUndefined()
    expect((await handle(at.store, { ...retry, failure: { ...failure, trace: undefined } })).failedTrace).toBe(
      ATTEMPTED,
    )
    expect((await handle(at.store)).failedTrace).toBeUndefined()
  })

  it('come with a send, begun at once or claimed, and again if it is opened again', async () => {
    const opened = await at.store.openSend(send({ trace: ATTEMPTED, customer: '255712000102' }), { begin: beginning() })
    expect(opened?.begun?.work.send.trace).toBe(ATTEMPTED)
    const one = send({ trace: RECEIVED })
    await at.store.openSend(one)
    const { fence, due } = await dueSend(at.store)
    expect(due.send.trace).toBe(RECEIVED)
    await at.store.settleSend(fence, one.id, { as: 'refused', code: 'x', reason: 'x' }, NEXT)
    expect(await at.store.openSend({ ...one, trace: ATTEMPTED })).toMatchObject({ found: 'reopened' })
    expect((await dueSend(at.store)).due.send.trace).toBe(ATTEMPTED)
  })
}
