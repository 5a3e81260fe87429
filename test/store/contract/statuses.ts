import { expect, it } from 'vitest'
import { arrive, attempting, begin, seqOf } from '../acts.ts'
import { ASHA, delivery, ingested, item, LEASE_MS, send, T0 } from '../samples.ts'
import type { Stage } from './index.ts'
import type { Ingested } from '../../../src/store/inbox/arrive.ts'
import type { NewStatus } from '../../../src/store/outbox/statuses.ts'
import type { StartedItem } from '../../../src/store/work/items.ts'

const ACCEPTED = { as: 'accepted', messageId: 'm1', upstreamId: 'w1', possiblyTwice: false } as const

type Told = Partial<NewStatus> & { status: string; at: number }

/** Statuses of messages, before or after their send has got its ids. */
export function statuses(at: Stage): void {
  it('keeps a failure with its reason beside the others, and unheard-of statuses too [B EVT-04]', async () => {
    const one = await accepted()
    await bring({ status: 'failed', at: T0 + 1, reason: 'blocked' }, { status: 'warned', at: T0 + 2 })
    const row = await at.store.findSend({ id: one.id })
    expect(row && (await at.store.statusesOf(row))).toEqual([
      { status: 'failed', at: T0 + 1, reason: 'blocked' },
      { status: 'warned', at: T0 + 2, reason: undefined },
    ])
  })

  it('gives statuses that came before the answer to their send, by either id, once it is known, each once [B EVT-04, F-60]', async () => {
    for (let times = 0; times < 2; times++)
      await bring({ messageId: 'm1', upstreamId: undefined, status: 'sent', at: T0 + 1 })
    await bring({ messageId: undefined, upstreamId: 'w1', status: 'delivered', at: T0 + 2 })
    await bring({ messageId: 'another', upstreamId: 'else', status: 'read', at: T0 + 3 })
    expect(await at.place.view.statuses('strays')).toHaveLength(4)
    const one = await accepted()
    await bring({ messageId: 'm1', upstreamId: 'w1', status: 'sent', at: T0 + 1 })
    expect(await statusesOf(one.id)).toEqual(['sent 1', 'delivered 2'])
    expect(await at.place.view.statuses('strays')).toEqual(['another', 'else'])
  })

  it.each([
    ['with its delivery', (status: Told) => bringAtOnce(status)],
    ['later', (status: Told) => bring(status)],
  ])(
    'learns the upstream platform’s id from a status that is ingested %s, if the answer had none [B EVT-04]',
    async (_, tell) => {
      const one = await accepted({ ...ACCEPTED, upstreamId: undefined })
      await tell({ messageId: undefined, upstreamId: 'w1', status: 'sent', at: T0 + 1 })
      expect(await statusesOf(one.id)).toEqual([])
      await tell({ messageId: 'm1', upstreamId: 'w1', status: 'delivered', at: T0 + 2 })
      expect((await at.store.findSend({ upstreamId: 'w1' }))?.id).toBe(one.id)
      await tell({ messageId: undefined, upstreamId: 'w1', status: 'read', at: T0 + 3 })
      expect(await statusesOf(one.id)).toEqual(['sent 1', 'delivered 2', 'read 3'])
      expect(await at.place.view.statuses('strays')).toEqual([])
    },
  )

  it('does not let a status rename what the answer named [B EVT-04]', async () => {
    const [one, other] = [await accepted(), await accepted({ ...ACCEPTED, messageId: 'm2', upstreamId: 'w2' })]
    await bring({ messageId: 'm1', upstreamId: 'w2', status: 'delivered', at: T0 + 1 })
    expect((await at.store.findSend({ upstreamId: 'w1' }))?.id).toBe(one.id)
    expect((await at.store.findSend({ upstreamId: 'w2' }))?.id).toBe(other.id)
  })

  it('gives each status to one item, and again to a rerun of it [B EVT-04]', async () => {
    const [first, second] = [await anItem(), await anItem()]
    expect((await reportsOf(first, ['sent', 'delivered'], 's1'))?.toSorted()).toEqual(['delivered', 'sent'])
    expect(await reportsOf(second, ['sent', 'delivered', 'read'], 's1')).toEqual(['read'])
    expect((await reportsOf(first, ['sent', 'delivered'], 's1'))?.toSorted()).toEqual(['delivered', 'sent'])
    expect(await reportsOf(second, ['sent'], 's2')).toEqual(['sent'])
    expect(await reportsOf(second, [], 's3')).toEqual([])
  })

  it('gives a status that names its send by another id to the same item [B EVT-04]', async () => {
    const one = await accepted()
    const [first, second] = [await anItem(), await anItem()]
    const known = await at.store.statusForHandlers(first, { messageId: 'm1', upstreamId: undefined }, ['sent'])
    expect(known).toMatchObject({ sent: { row: { id: one.id }, statuses: [] }, reports: ['sent'] })
    const named = { messageId: undefined, upstreamId: 'w1' }
    expect((await at.store.statusForHandlers(second, named, ['sent']))?.reports).toEqual([])
  })

  it('gives no item a status that names no send, while one is under way that it may be about [B EVT-04]', async () => {
    const first = await anItem()
    const customer = first.customer ?? ''
    const one = send({ customer, lane: `default/${customer}/out` })
    const fence = await attempting(at.store, one)
    const waiting = { ...first, createdAt: T0 }
    for (const reached of [['sent'], []]) expect(await reportsOf(waiting, reached)).toBeUndefined()
    await at.store.settleSend(fence, one.id, ACCEPTED, { now: T0, goOn: true })
    expect(await reportsOf(waiting, ['sent'])).toEqual(['sent'])
  })

  it('lets no status of one number concern a send of another, though it names its message [B EVT-04]', async () => {
    const one = await accepted(ACCEPTED, 'b')
    for (const named of [{}, { upstreamId: undefined }, { messageId: undefined }])
      await bring({ number: 'a', status: 'failed', at: T0 + 1, ...named })
    expect(await statusesOf(one.id)).toEqual([])
    await bring({ number: 'b', status: 'read', at: T0 + 2 })
    expect(await statusesOf(one.id)).toEqual(['read 2'])
    for (const named of [{ messageId: 'm1' }, { upstreamId: 'w1' }]) {
      expect(await at.store.findSend({ ...named, number: 'a' })).toBeUndefined()
      expect((await at.store.findSend({ ...named, number: 'b' }))?.id).toBe(one.id)
    }
  })

  it('lets no later send of a number adopt a status of another, which had guessed its id [B EVT-04]', async () => {
    await bring({ number: 'a', status: 'failed', at: T0 + 1 })
    const theirs = await accepted(ACCEPTED, 'b')
    expect(await statusesOf(theirs.id)).toEqual([])
    const own = await accepted({ ...ACCEPTED, upstreamId: 'another' }, 'a')
    expect(await statusesOf(own.id)).toEqual(['failed 1'])
  })

  it('does not let a status of one number name a message of another by the upstream platform’s id [B EVT-04]', async () => {
    const one = await accepted({ ...ACCEPTED, upstreamId: undefined }, 'b')
    await bring({ number: 'a', status: 'sent', at: T0 + 1 })
    expect(await at.store.findSend({ upstreamId: 'w1' })).toBeUndefined()
    // Nor does it keep that id from the other number's message.
    await accepted({ ...ACCEPTED, messageId: 'm2', upstreamId: 'w1' }, 'a')
    await bring({ number: 'b', status: 'sent', at: T0 + 1 })
    expect((await at.store.findSend({ upstreamId: 'w1', number: 'b' }))?.id).toBe(one.id)
  })

  it('gives a status of one number to an item of it, though another number’s item claimed that status [B EVT-04]', async () => {
    const [first, second] = [await anItem('a'), await anItem('b')]
    expect(await reportsOf(first, ['read'])).toEqual(['read'])
    expect(await reportsOf(second, ['read'])).toEqual(['read'])
  })

  it('keeps early statuses of a number whose id is that of another number’s removed message [B EVT-04]', async () => {
    await accepted(ACCEPTED, 'b')
    await bring({ number: 'b', status: 'read', at: T0 + 1 }, { number: 'a', status: 'read', at: T0 + 1 })
    await at.store.prune({ now: T0, bytesBefore: 0, idsBefore: T0 + 1, limit: 10, after: { stage: 'sends', at: [] } })
    expect(await at.place.view.statuses('sends')).toEqual([])
    expect(await at.place.view.statuses('strays')).toEqual(['m1', 'w1'])
  })

  it.each([
    ['before', true],
    ['after', false],
  ])(
    'lets a status of a shared subscription that names no number concern a send of any of its numbers, %s the answer [B EVT-04]',
    async (_, isEarly) => {
      const tell = () => bring({ number: 'a+b', status: 'read', at: T0 + 1 })
      if (isEarly) await tell()
      const [theirs, one] = [await accepted(ACCEPTED, 'c'), await accepted(ACCEPTED, 'b')]
      if (!isEarly) await tell()
      await bring({ number: 'b', status: 'read', at: T0 + 1 })
      expect(await statusesOf(theirs.id)).toEqual([])
      expect(await statusesOf(one.id)).toEqual(['read 1'])
      expect(await at.place.view.statuses('strays')).toEqual([])
    },
  )

  it('knows that a send had begun by a time and has not ended, to one customer or to anybody of the number', async () => {
    const other = '255712000102'
    const begun = async (number: string, customer: string | undefined, by: number) =>
      (await at.store.underWay(number, customer, by)).attempting
    expect(await begun('default', undefined, T0)).toBe(false)
    const one = send()
    const fence = await attempting(at.store, one)
    await at.store.openSend(send({ customer: other }))
    const asked = [ASHA, other, undefined].map((customer) => begun('default', customer, T0))
    expect(await Promise.all(asked)).toEqual([true, false, true])
    expect(await begun('default', ASHA, T0 - 1)).toBe(false)
    expect(await begun('branch', ASHA, T0)).toBe(false)
    await at.store.settleSend(fence, one.id, ACCEPTED, { now: T0, goOn: true })
    expect(await begun('default', ASHA, T0)).toBe(false)
  })

  it('knows whether the outcome of any send to a customer of a number is unknown', async () => {
    const one = send()
    const fence = await attempting(at.store, one)
    const unknown = async (number: string, customer: string) => (await at.store.underWay(number, customer, T0)).unknown
    expect(await unknown('default', ASHA)).toBe(false)
    const noAnswer = { as: 'unknown', code: undefined, reason: 'no answer' } as const
    await at.store.settleSend(fence, one.id, noAnswer, { now: T0, goOn: true })
    expect(await unknown('default', ASHA)).toBe(true)
    expect(await unknown('default', '255712000102')).toBe(false)
    expect(await unknown('branch', ASHA)).toBe(false)
    await at.store.resolveSend(one.id, 'drop', T0)
    expect(await unknown('default', ASHA)).toBe(false)
  })

  /** A send that the service took. */
  async function accepted(
    as: typeof ACCEPTED | { [K in keyof typeof ACCEPTED]: unknown } = ACCEPTED,
    number = 'default',
  ) {
    const one = send({ number, lane: `${number}/${ASHA}/out` })
    const fence = await attempting(at.store, one)
    await at.store.settleSend(fence, one.id, as as typeof ACCEPTED, { now: T0, goOn: true })
    return one
  }

  /** Brings these statuses in one delivery, which is ingested after it was stored. */
  async function bring(...given: Told[]): Promise<void> {
    const seq = await seqOf(at.store, delivery())
    await at.store.ingest(seq, telling(given), T0)
  }

  async function bringAtOnce(...given: Told[]): Promise<void> {
    await at.store.accept(delivery(), { ingested: telling(given) })
  }

  function telling(given: readonly Told[]): Ingested {
    const known = { number: 'default', messageId: 'm1', upstreamId: 'w1', reason: undefined }
    return { ...ingested(), statuses: given.map((one) => ({ ...known, ...one })) }
  }

  async function reportsOf(one: StartedItem, reached: readonly string[], messageId = 'm1') {
    return (await at.store.statusForHandlers(one, { messageId, upstreamId: undefined }, reached))?.reports
  }

  async function statusesOf(id: string): Promise<string[]> {
    const row = await at.store.findSend({ id })
    if (!row) throw new Error('the send does not exist')
    return (await at.store.statusesOf(row)).map(({ status, at: when }) => `${status} ${when - T0}`)
  }

  async function anItem(number = 'default') {
    const customer = `2557120009${String(next++).padStart(2, '0')}`
    await arrive(at.store, [item({ number, customer, lane: `${number}/${customer}` })])
    return (await begin(at.store, { leaseMs: LEASE_MS })).item
  }
  let next = 0
}
