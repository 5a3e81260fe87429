import { expect, it } from 'vitest'
import type { Claim, Fence, SessionWrite } from '../../../src/stores/port/index.ts'
import type { Stage } from './index.ts'
import { arrive, ASHA, begin, claim, item, LEASE_MS, T0 } from '../samples.ts'

const JUMA = '255712000102'
const LATER = T0 + 86_400_000

/** State that the app keeps about customers, and secrets that a store keeps for the bot itself. */
export function sessions(at: Stage): void {
  it('keeps a session with the settlement of its message, and gives it back with its version', async () => {
    await settle({ value: '{"n":1}', version: 3, expiresAt: undefined })
    expect((await at.store.customerOf('default', ASHA, LATER)).session).toEqual({ value: '{"n":1}', version: 3 })
    expect((await (await at.place.open()).customerOf('default', ASHA, LATER)).session).toEqual({
      value: '{"n":1}',
      version: 3,
    })
  })

  it('replaces it whole, its version and its end too', async () => {
    await settle({ value: '{"n":1}', version: 1, expiresAt: T0 })
    await settle({ value: '{"n":2}', version: 2, expiresAt: undefined })
    expect((await at.store.customerOf('default', ASHA, LATER)).session).toEqual({ value: '{"n":2}', version: 2 })
  })

  it('ends it at its time, and not a moment sooner', async () => {
    await settle({ value: '{}', version: 1, expiresAt: T0 + 10 })
    expect((await at.store.customerOf('default', ASHA, T0 + 9)).session).toBeDefined()
    expect((await at.store.customerOf('default', ASHA, T0 + 10)).session).toBeUndefined()
  })

  it('removes it if the settlement says so, and leaves it alone if the settlement says nothing', async () => {
    await settle({ value: '{}', version: 1, expiresAt: undefined })
    await settle(undefined)
    expect((await at.store.customerOf('default', ASHA, T0)).session).toBeDefined()
    await settle({ value: undefined, version: 1, expiresAt: undefined })
    expect((await at.store.customerOf('default', ASHA, T0)).session).toBeUndefined()
  })

  it('keeps customers and numbers apart', async () => {
    await settle({ value: '"asha"', version: 1, expiresAt: undefined })
    await settle({ value: '"juma"', version: 1, expiresAt: undefined }, { customer: JUMA })
    await settle({ value: '"other"', version: 1, expiresAt: undefined }, { number: 'other', lane: `other/${ASHA}` })
    const found = [
      ['default', ASHA],
      ['default', JUMA],
      ['other', ASHA],
      ['other', JUMA],
    ].map(([number = '', customer = '']) => at.store.customerOf(number, customer, T0))
    expect((await Promise.all(found)).map(({ session }) => session?.value)).toEqual([
      '"asha"',
      '"juma"',
      '"other"',
      undefined,
    ])
  })

  it('gives the lane to a turn without an item while it is free: not while it is held, nor in a back-off [F-55]', async () => {
    const who = { number: 'default', customer: ASHA }
    const lease = { owner: 'one', now: T0, leaseMs: LEASE_MS }
    const session = { value: '{"n":1}', version: 1, expiresAt: undefined }
    const fence = await at.store.takeTurn(who, lease)
    await arrive(at.store, [item()])
    expect(await at.store.takeTurn(who, lease)).toBeUndefined()
    expect((await at.store.claimItems(claim())).held).toEqual([])
    expect(await at.store.endTurn(fence as Fence, who, session, T0)).toEqual({ held: true, waits: true })
    const begun = await begin(at.store)
    const late = await at.store.endTurn(fence as Fence, who, { ...session, value: '{"n":2}' }, T0)
    expect(late).toEqual({ held: false, waits: false })
    expect((await at.store.customerOf('default', ASHA, T0)).session?.value).toBe('{"n":1}')
    const retry = { as: 'retry', reason: 'x', at: T0 + 5, blocksLane: true, completedHandlers: [] } as const
    await at.store.settleItem(begun.fence, begun.item.id, retry, { now: T0, goOn: false })
    expect(await at.store.takeTurn(who, { ...lease, now: T0 + 5 })).toBeUndefined()
    expect((await begin(at.store, { now: T0 + 5 })).item.attempt).toBe(2)
  })

  it('leaves a lane to whoever waits for its turn, unless that turn waits for what has begun in it [F-55]', async () => {
    const awaited = [`default/${ASHA}`]
    const begunAt = async (now: number, given: Partial<Claim> = {}) =>
      (await at.store.claimItems(claim({ ...given, now, awaited }))).held
    await arrive(at.store, [item()])
    for (const after of [undefined, 'default']) expect(await begunAt(T0, { after })).toEqual([])
    await begin(at.store, { owner: 'gone' })
    const [heir] = await begunAt(T0 + LEASE_MS, { owner: 'heir' })
    if (!heir) throw new Error('the lane of the one that is gone was not taken')
    const retry = { as: 'retry', reason: 'x', at: T0 + 99_000, blocksLane: true, completedHandlers: [] } as const
    await at.store.settleItem(heir.fence, heir.work.id, retry, { now: T0 + LEASE_MS, goOn: false })
    // A claim of nothing puts the lane in its place, where the next one finds what has begun in it.
    expect(await begunAt(T0 + 99_000, { limit: 0 })).toEqual([])
    expect(await begunAt(T0 + 99_000, { after: 'default' })).toHaveLength(1)
  })

  it('leaves no lane behind for a customer who never wrote', async () => {
    const who = { number: 'default', customer: JUMA }
    const fence = await at.store.takeTurn(who, { owner: 'one', now: T0, leaseMs: LEASE_MS })
    await at.store.endTurn(fence as Fence, who, undefined, T0)
    expect(await at.place.view.lanes()).toEqual([])
  })

  it('takes no session from a zombie [F-55]', async () => {
    await arrive(at.store, [item()])
    const zombie = await begin(at.store, { owner: 'zombie' })
    await begin(at.store, { owner: 'heir', now: T0 + LEASE_MS })
    const session: SessionWrite = { value: '"zombie"', version: 1, expiresAt: undefined }
    const settled = await at.store.settleItem(
      zombie.fence,
      zombie.item.id,
      { as: 'done', session },
      next(T0 + LEASE_MS),
    )
    expect(settled.held).toBe(false)
    expect((await at.store.customerOf('default', ASHA, T0)).session).toBeUndefined()
  })

  it('prunes sessions that ended long enough ago, and no others', async () => {
    await settle({ value: '1', version: 1, expiresAt: T0 + 9 })
    await settle({ value: '2', version: 1, expiresAt: T0 + 10 }, { customer: JUMA })
    await settle({ value: '3', version: 1, expiresAt: undefined }, { customer: '255712000103' })
    await prune(T0 + 10)
    const alive = [ASHA, JUMA, '255712000103'].map((customer) => at.store.customerOf('default', customer, T0))
    expect((await Promise.all(alive)).map(({ session }) => session?.value)).toEqual([undefined, '2', '3'])
  })

  it('makes a secret once, keeps it for every process, and has another one for another name', async () => {
    const other = await at.place.open()
    const [one, two] = await Promise.all([at.store.secret('a'), other.secret('a')])
    expect(one).toHaveLength(32)
    expect(Buffer.from(two).equals(Buffer.from(one))).toBe(true)
    expect(Buffer.from(await other.secret('b')).equals(Buffer.from(one))).toBe(false)
    expect(Buffer.from(await at.store.secret('a')).equals(Buffer.from(one))).toBe(true)
  })

  it('keeps with an item at rest which of its handlers have completed [F-62]', async () => {
    for (const as of ['parked', 'dead'] as const) {
      await arrive(at.store, [item({ kind: 'event' })])
      const { fence, item: first } = await begin(at.store)
      await at.store.settleItem(fence, first.id, { as, reason: 'x', completedHandlers: ['on:a'] }, next(T0))
      await at.store.retryItems([first.id], LATER)
      const { fence: again, item: second } = await begin(at.store, { now: LATER })
      expect(second.completedHandlers).toEqual(['on:a'])
      await at.store.settleItem(again, second.id, { as: 'done' }, next(LATER))
    }
  })

  async function settle(session: SessionWrite | undefined, given: Parameters<typeof item>[0] = {}) {
    await arrive(at.store, [item(given)])
    const { fence, item: begun } = await begin(at.store)
    await at.store.settleItem(fence, begun.id, { as: 'done', session }, next(T0))
  }

  async function prune(idsBefore: number): Promise<void> {
    const ages = { now: idsBefore, bytesBefore: idsBefore, idsBefore, limit: 100 }
    let { next: after } = await at.store.prune(ages)
    while (after) after = (await at.store.prune({ ...ages, after })).next
  }
}

function next(now: number) {
  return { now, goOn: true }
}
