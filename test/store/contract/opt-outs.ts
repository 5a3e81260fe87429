import { expect, it } from 'vitest'
import { arrive, ASHA, begin, claim, DAY, HOUR, item, LEASE_MS, outboxOf, send, T0, WHO } from '../samples.ts'
import type { NewSend } from '../../../src/store/types/types.ts'
import type { Stage } from './index.ts'
import { pruneAll } from './prune.ts'

const OUT = { ...WHO, at: T0, how: 'message' }
const ANY = { anyNumber: true }

/** Customers who want no marketing. */
export function optOuts(at: Stage): void {
  const news = (given: Partial<NewSend> = {}) => send({ marketing: { at: T0, anyNumber: true }, ...given })
  const stateOf = async (given?: Partial<NewSend>) => (await at.store.openSend(news(given)))?.send.state
  const onBranch = { number: 'branch', lane: `branch/${ASHA}/out` }

  it('skips marketing for a customer who opted out, and nothing else, nor for another customer', async () => {
    await at.store.optOut(OUT)
    const skipped = await at.store.openSend(news())
    expect(skipped?.send).toMatchObject({ state: 'skipped', code: 'opted_out', settledAt: T0 })
    expect((await at.store.openSend(send()))?.send.state).toBe('ready')
    expect(await stateOf({ customer: '255712000102', lane: 'default/255712000102/out' })).toBe('ready')
  })

  it('counts on every number, or on its own alone', async () => {
    await at.store.optOut(OUT)
    expect(await stateOf(onBranch)).toBe('skipped')
    expect(await stateOf({ ...onBranch, marketing: { at: T0, anyNumber: false } })).toBe('ready')
    expect(await at.store.optOutOf({ number: 'branch', customer: ASHA }, true)).toEqual(OUT)
    expect(await at.store.optOutOf({ number: 'branch', customer: ASHA }, false)).toBeUndefined()
  })

  it('ends on the number where the customer agrees again, and on no other', async () => {
    await at.store.optOut(OUT)
    expect(await at.store.optIn({ ...OUT, number: 'branch', at: T0 + 1 }, ANY)).toBe('done')
    expect([await stateOf(onBranch), await stateOf()]).toEqual(['ready', 'skipped'])
    expect(await at.store.optIn({ ...OUT, at: T0 + 1 }, ANY)).toBe('done')
    expect(await stateOf({ lane: 'default/other/out' })).toBe('ready')
  })

  it('is not ended by an older START that comes late', async () => {
    await at.store.optOut(OUT)
    expect(await at.store.optIn({ ...OUT, at: T0 - 1 }, ANY)).toBe('too_late')
    expect(await at.store.optIn({ ...OUT, number: 'branch', at: T0 - 1 }, ANY)).toBe('too_late')
    expect(await at.store.optIn({ ...OUT, number: 'branch', at: T0 - 1 }, { anyNumber: false })).toBe('done')
    expect(await stateOf()).toBe('skipped')
  })

  it('is not ended by a START that an older STOP, handled late, came before', async () => {
    await at.store.optOut({ ...OUT, at: T0 + 3 })
    await at.store.optOut(OUT)
    expect(await at.store.optIn({ ...OUT, at: T0 + 2 }, ANY)).toBe('too_late')
    expect(await stateOf()).toBe('skipped')
  })

  it('outlives forgetting, as a hash without the digits, and can still be ended by the customer', async () => {
    await at.store.optOut(OUT)
    await at.store.forget(WHO, T0)
    while (await at.store.eraseForgotten(100));
    expect(JSON.stringify(await at.place.view.snapshot())).not.toContain(ASHA)
    expect(await at.store.countKept(ASHA)).toEqual({ numbers: {}, naming: 0 })
    expect([await stateOf(), await stateOf(onBranch)]).toEqual(['skipped', 'skipped'])
    expect((await at.store.keptOf(ASHA)).optOuts).toEqual([{ number: 'default', state: 'out', at: T0, how: 'message' }])
    await at.store.optIn({ ...OUT, at: T0 + 1 }, ANY)
    expect(await stateOf()).toBe('ready')
  })

  it('outlives pruning at every age', async () => {
    await at.store.optOut(OUT)
    const now = T0 + 3_650 * DAY
    await pruneAll(at.store, { now, bytesMs: 0, idsMs: 0 })
    expect(await stateOf()).toBe('skipped')
  })

  it('skips marketing while somebody else speaks to the customer', async () => {
    await at.store.takeOver({ ...WHO, by: 'person', since: T0, until: T0 + HOUR })
    expect((await at.store.openSend(news()))?.send).toMatchObject({ state: 'skipped', code: 'taken_over' })
    expect(await stateOf({ marketing: { at: T0 + HOUR, anyNumber: true } })).toBe('ready')
  })

  it('gives scheduled marketing what was said since it was recorded', async () => {
    await at.store.takeOver({ ...WHO, by: 'person', since: T0, until: T0 + HOUR })
    await at.store.openSend(news({ dueAt: T0 + DAY }))
    await at.store.optOut(OUT)
    const { begun } = await at.store.claimSends(claim({ serviceNow: T0 + DAY }))
    expect(begun.map(({ work }) => [work.optedOut, work.takenOver?.by])).toEqual([[true, 'person']])
    expect(await stateOf({ dueAt: T0 + DAY })).toBe('skipped')
    expect((await outboxOf(at.store)).map(({ state }) => state)).toEqual(['ready', 'skipped'])
  })

  it('changes nothing for an attempt whose item was freed [F-74]', async () => {
    await arrive(at.store, [item()])
    const zombie = await begin(at.store, { processName: 'zombie' })
    const heir = await begin(at.store, { processName: 'heir', now: T0 + LEASE_MS })
    expect(await at.store.optOut(OUT, zombie.fence)).toBe(false)
    expect(await at.store.optOut(OUT, heir.fence)).toBe(true)
    expect(await at.store.optIn({ ...OUT, at: T0 + 1 }, ANY, zombie.fence)).toBeUndefined()
    expect(await stateOf()).toBe('skipped')
  })
}
