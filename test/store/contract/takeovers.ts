import { expect, it } from 'vitest'
import { arrive, attempting, begin, beginNew, handle, seqOf } from '../acts.ts'
import { ACCEPTED, ASHA, DAY, delivery, HOUR, ingested, item, JUMA, LEASE_MS, send, T0, WHO } from '../samples.ts'
import { pruneAll } from './prune.ts'
import type { Stage } from './index.ts'
import type { NewTakeover } from '../../../src/features/people/store/hand-over.ts'

/** The bot does not reply to some customers for a while. */
export function takeovers(at: Stage): void {
  it('skips a reply while its customer is taken over, and sends what is no reply [B GEN-07]', async () => {
    await at.store.takeOver(takenByAgent(T0))
    const reply = await at.store.openSend(send({ repliedAt: T0 + 1 }))
    expect(reply).toMatchObject({ found: 'new', send: { state: 'skipped', code: 'taken_over', settledAt: T0 } })
    expect((await at.store.openSend(send()))?.send.state).toBe('ready')
    expect((await at.store.openSend(send({ repliedAt: T0 + DAY - 1 })))?.send.state).toBe('skipped')
    expect((await at.store.openSend(send({ repliedAt: T0 + DAY })))?.send.state).toBe('ready')
  })

  it('takes over in the ingest of the message that asks for it, before any handler runs [B GEN-07]', async () => {
    const seq = await seqOf(at.store, delivery())
    await at.store.ingest(seq, { ...ingested(item()), silences: [takenByAgent(T0)] }, T0)
    expect((await at.store.customerOf('default', ASHA, T0)).silence).toMatchObject(during(takenByAgent(T0)))
  })

  it('is not taken over again by an older BOT that comes late [B GEN-07]', async () => {
    await at.store.takeOver(takenByAgent(T0))
    await at.store.resume(WHO, T0 + HOUR)
    expect((await at.store.customerOf('default', ASHA, T0 + HOUR)).silence).toBeUndefined()
    await at.store.takeOver(takenByAgent(T0 + HOUR - 1))
    expect((await at.store.customerOf('default', ASHA, T0 + HOUR)).silence).toBeUndefined()
    await at.store.takeOver(takenByAgent(T0 + HOUR + 1))
    expect((await at.store.customerOf('default', ASHA, T0 + HOUR + 1)).silence).toMatchObject(
      during(takenByAgent(T0 + HOUR + 1)),
    )
  })

  it('resumes, or hands over, at once if the app says so, also after its clock went back [B GEN-07]', async () => {
    await at.store.takeOver(takenByAgent(T0 + 25 * HOUR))
    await at.store.takeOver(handedOver(T0, HOUR))
    expect((await at.store.customerOf('default', ASHA, T0)).silence?.by).toBe('person')
    await at.store.takeOver(takenByAgent(T0 + 25 * HOUR))
    await at.store.resume(WHO, T0 + 1)
    expect((await at.store.customerOf('default', ASHA, T0 + 1)).silence).toBeUndefined()
    await at.store.takeOver(takenByAgent(T0 + 2))
    expect((await at.store.customerOf('default', ASHA, T0 + 2)).silence).toMatchObject(during(takenByAgent(T0 + 2)))
  })

  it('changes nothing for an attempt whose item was freed [F-74]', async () => {
    const zombie = await beginNew(at.store, [item()], { processName: 'zombie' })
    const heir = await begin(at.store, { processName: 'heir', now: T0 + LEASE_MS })
    expect(await at.store.takeOver(takenByAgent(T0), zombie.fence)).toBe(false)
    expect((await at.store.customerOf('default', ASHA, T0)).silence).toBeUndefined()
    expect(await at.store.takeOver(takenByAgent(T0), heir.fence)).toBe(true)
    expect(await at.store.resume(WHO, T0 + 1, zombie.fence)).toBe(false)
    expect((await at.store.customerOf('default', ASHA, T0 + 1)).silence).toMatchObject(during(takenByAgent(T0)))
    expect(await at.store.resume(WHO, T0 + 1, heir.fence)).toBe(true)
  })

  it('gives a handler that hands over the cause of its item, by which its rerun and its replies are known [F-55]', async () => {
    const { fence, item: begun } = await beginNew(at.store)
    await at.store.takeOver(handedOver(T0, HOUR), fence)
    const { item: rerun } = await begin(at.store, { processName: 'two', now: T0 + LEASE_MS })
    expect(rerun.silence).toMatchObject({ ...during(handedOver(T0, HOUR)), cause: begun.cause })
    await at.store.takeOver(handedOver(T0 + 1, HOUR))
    expect((await at.store.customerOf('default', ASHA, T0 + 1)).silence?.cause).toBeUndefined()
  })

  it('keeps a message whose routes rested: shown as such, in the history, and not open any more', async () => {
    const seq = await arrive(at.store, [item({ facts: '{"values":{"text":"to the person"},"sure":[]}' })])
    await handle(at.store, { as: 'rested' })
    const { deliveries } = await at.store.listDeliveries({ states: ['rested'], limit: 9 })
    expect(deliveries).toMatchObject([{ seq, items: [{ state: 'rested' }] }])
    expect((await at.store.history(WHO, 9)).received).toHaveLength(1)
    expect((await at.store.counts()).items).toEqual({ rested: 1 })
    expect(await at.place.view.lanes()).toEqual([])
  })

  it('gives the take-over with a reply that waited when BOT came, so that it is not sent afterwards [B GEN-07]', async () => {
    const [reply, own] = [send({ repliedAt: T0 }), send({ lane: 'default/own/out' })]
    for (const one of [reply, own]) await at.store.openSend(one)
    await at.store.takeOver(takenByAgent(T0 + 1))
    const { begun } = await at.store.claimSends({ processName: 'one', limit: 16, now: T0 + 2, leaseMs: LEASE_MS })
    const takenOverOf = (id: string) => begun.find(({ work }) => work.send.id === id)?.work.silence
    expect(takenOverOf(reply.id)).toMatchObject(during(takenByAgent(T0 + 1)))
    expect(takenOverOf(own.id)).toBeUndefined()
  })

  it('goes from the row of a customer once it ended long ago, and keeps the row of one who has nothing else until then', async () => {
    const [before, after] = ['255712000100', '255712000199']
    for (const customer of [before, JUMA, after])
      await at.store.takeOver({ ...WHO, customer, by: 'agent', since: T0, until: T0 + 1 })
    await at.store.takeOver(takenByAgent(T0 + 40 * DAY))
    const seq = await seqOf(at.store, delivery())
    const windows = [{ ...WHO, customer: JUMA, lastAt: T0 + 40 * DAY }]
    await at.store.ingest(seq, { ...ingested(), windows }, T0 + 40 * DAY)
    await pruneAll(at.store, { now: T0 + 41 * DAY })
    const left = async (customer: string, time: number) => await at.store.customerOf('default', customer, time)
    for (const customer of [before, JUMA, after]) expect((await left(customer, T0)).silence).toBeUndefined()
    expect((await left(ASHA, T0 + 40 * DAY)).silence?.by).toBe('agent')
    expect((await left(JUMA, T0)).lastInboundAt).toBe(T0 + 40 * DAY)
  })

  it('knows when the service last took a send to a customer who once wrote [B GEN-06]', async () => {
    const seq = await seqOf(at.store, delivery())
    await at.store.ingest(seq, { ...ingested(), windows: [{ ...WHO, lastAt: T0 }] }, T0)
    for (const [time, sentAt] of [
      [T0 + 9, T0 + 9],
      [T0 + 5, T0 + 9],
    ] as const) {
      const one = send()
      const fence = await attempting(at.store, one)
      const accepted = { ...ACCEPTED, messageId: one.id, at: time }
      await at.store.settleSend(fence, one.id, accepted, { now: T0, goOn: true })
      expect((await at.store.customerOf('default', ASHA, T0)).lastSentAt).toBe(sentAt)
    }
    expect((await at.store.customerOf('default', '255712000102', T0)).lastSentAt).toBeUndefined()
  })
}

function takenByAgent(since: number): NewTakeover {
  return { ...WHO, by: 'agent', since, until: since + DAY }
}

function handedOver(since: number, forMs: number): NewTakeover {
  return { ...WHO, by: 'person', since, until: since + forMs }
}

function during({ by, since, until }: NewTakeover) {
  return { by, since, until }
}
