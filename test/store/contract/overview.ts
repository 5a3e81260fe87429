import { expect, it } from 'vitest'
import { arrive, attempting, begin, seqOf } from '../acts.ts'
import { ASHA, delivery, HOUR, item, JUMA, send, T0, UNKNOWN } from '../samples.ts'
import type { Stage } from './index.ts'

const NEXT = { now: T0, goOn: false }

/** A person looks on: what stands where, without reading tables. */
export function overviews(at: Stage): void {
  async function ended(as: 'dead' | 'parked' | 'ignored', given: Parameters<typeof item>[0] = {}, now = T0) {
    const seq = await arrive(at.store, [item(given)], now)
    const { fence, item: begun } = await begin(at.store, { now })
    const settlement = as === 'ignored' ? { as } : { as, reason: 'x' }
    await at.store.settleItem(fence, begun.id, settlement, { now, goOn: false })
    return seq
  }

  async function quarantined() {
    const seq = await seqOf(at.store, delivery())
    await at.store.ingest(seq, { state: 'quarantined', items: [], windows: [], statuses: [] }, T0)
    return seq
  }

  it('counts what waits for a person, and names the newest of each', async () => {
    expect(await at.store.overview()).toMatchObject({ newest: { deliveries: 0, sends: 0, acts: 0 }, timers: 0 })
    await ended('dead')
    await ended('parked')
    const newest = await quarantined()
    await at.store.openSend(send({ dueAt: T0 + HOUR }))
    const one = send({ customer: JUMA, lane: `default/${JUMA}/out` })
    const fence = await attempting(at.store, one)
    await at.store.settleSend(fence, one.id, UNKNOWN, NEXT)
    const act = await at.store.recordAct({ at: T0, who: 'neema', act: 'retry', what: 'delivery 1' })
    const overview = await at.store.overview()
    expect(overview).toMatchObject({
      resting: { dead: 1, parked: 1, quarantined: 1, conflict: 0, suspected_replay: 0 },
      sends: { scheduled: 1, held: 0, unknown: 1 },
    })
    expect(overview.newest).toMatchObject({ deliveries: newest, acts: act })
    expect(overview.newest.sends).toBeGreaterThan(0)
  })

  it('names deliveries that wait for a person, the oldest first, by state, event, number and time', async () => {
    const first = await ended('dead')
    const retail = await ended('parked', { number: 'retail', lane: `retail/${ASHA}` })
    const unread = await quarantined()
    const found = (query: Omit<Parameters<typeof at.store.restingSeqs>[0], 'limit'>, limit = 9) =>
      at.store.restingSeqs({ ...query, limit })
    expect(await found({ states: ['dead', 'parked', 'quarantined'] })).toEqual([first, retail, unread])
    expect(await found({ states: ['quarantined', 'dead'] }, 1)).toEqual([first])
    expect(await found({ states: ['dead', 'parked', 'quarantined'], number: 'retail' })).toEqual([retail])
    expect(await found({ states: ['dead'], event: 'message.status' })).toEqual([])
    expect(await found({ states: ['dead'], receivedFrom: T0 })).toEqual([first])
    expect(await found({ states: ['dead'], receivedFrom: T0 + 1 })).toEqual([])
  })

  it('lists scheduled sends in the order of their times, and finds sends by what the app calls them', async () => {
    const [late, early, named] = [
      send({ dueAt: T0 + 2 * HOUR }),
      send({ dueAt: T0 + HOUR, ref: 'order-7' }),
      send({ ref: 'order-7' }),
    ]
    for (const one of [late, early, named]) await at.store.openSend(one)
    const first = await at.store.scheduledSends({ limit: 1 })
    expect(first.map(({ id }) => id)).toEqual([early.id])
    const after = { dueAt: T0 + HOUR, id: early.id }
    expect((await at.store.scheduledSends({ limit: 9, after })).map(({ id }) => id)).toEqual([late.id])
    expect(await at.store.scheduledSends({ limit: 9, number: 'other' })).toEqual([])
    expect((await at.store.sendsWithRef('order-7', 9)).map(({ id }) => id)).toEqual([named.id, early.id])
  })

  it('gives the latest of one customer, and the numbers on which they wrote', async () => {
    const juma = { customer: JUMA, lane: `default/${JUMA}` }
    await ended('dead', { ...juma, number: 'retail', lane: `retail/${JUMA}` })
    const seqs = [await ended('dead', juma), await arrive(at.store, [item(juma)])]
    await arrive(at.store, [item()])
    const waiting = send({ customer: JUMA, lane: `default/${JUMA}/out` })
    await at.store.openSend(waiting)
    await at.store.openSend(send())
    const latest = await at.store.latestOf({ number: 'default', customer: JUMA }, 9)
    expect(latest.deliveries.map(({ seq }) => seq)).toEqual(seqs.toReversed())
    expect(latest.sends.map(({ id }) => id)).toEqual([waiting.id])
    expect(await at.store.numbersOf(JUMA)).toEqual(['default', 'retail'])
    expect(await at.store.numbersOf('255700000000')).toEqual([])
  })

  it('keeps a record of acts, the newest first, each with its end', async () => {
    const act = { at: T0, who: 'neema', act: 'retry', what: 'delivery 1' }
    const seqs = [await at.store.recordAct(act), await at.store.recordAct(act), await at.store.recordAct(act)]
    await at.store.endAct(seqs[1] as number, 4)
    const first = await at.store.listActs({ limit: 2 })
    expect(first.acts).toEqual([
      { ...act, seq: seqs[2], count: undefined },
      { ...act, seq: seqs[1], count: 4 },
    ])
    const second = await at.store.listActs({ limit: 2, after: first.next ?? 0 })
    expect(second).toEqual({ acts: [{ ...act, seq: seqs[0], count: undefined }], next: undefined })
  })
}
