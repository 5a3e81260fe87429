import { expect, it } from 'vitest'
import { attempting, dueSend, outboxOf } from '../acts.ts'
import { ACCEPTED, claim, HOUR, send, T0 } from '../samples.ts'
import type { Stage } from './index.ts'

/** Sends for later, and sends that are cancelled. */
export function scheduling(at: Stage): void {
  it('is not due before its service time, whatever the wall clock says', async () => {
    const one = send({ dueAt: T0 + HOUR })
    expect((await at.store.openSend(one))?.send).toMatchObject({ state: 'scheduled', dueAt: T0 + HOUR })
    const early = claim({ now: T0 + 5 * HOUR, serviceNow: T0 + HOUR - 1 })
    expect((await at.store.claimSends(early)).begun).toEqual([])
    const { due } = await dueSend(at.store, { now: T0 - HOUR, serviceNow: T0 + HOUR })
    expect(due.send).toMatchObject({ id: one.id, state: 'ready' })
  })

  it('joins its lane behind those that wait when its time has come, and those before it keep their order [F-77]', async () => {
    const [later, sooner, waiting, after] = [
      send({ dueAt: T0 + 2 * HOUR }),
      send({ dueAt: T0 + HOUR }),
      send(),
      send({ createdAt: T0 + 1 }),
    ]
    for (const one of [later, sooner, waiting]) await at.store.openSend(one)
    await at.store.claimSends(claim({ serviceNow: T0 + 3 * HOUR, limit: 0 }))
    await at.store.openSend(after)
    const { fence, due } = await dueSend(at.store)
    const order = [due.send.id]
    for (let id = due.send.id; ; ) {
      const { next } = await at.store.settleSend(fence, id, ACCEPTED, { now: T0, goOn: true })
      if (!next) break
      id = next.work.send.id
      order.push(id)
    }
    expect(order).toEqual([waiting.id, sooner.id, later.id, after.id])
  })

  it('is cancelled while no attempt has begun: scheduled, waiting and held', async () => {
    const [scheduled, waiting, behind] = [
      send({ dueAt: T0 + HOUR }),
      send(),
      send({ number: 'two', lane: 'two/1/out' }),
    ]
    const stop = await attempting(at.store, send({ number: 'two', lane: 'two/2/out' }))
    const throttle = { stopped: true, closedUntil: T0 + 60_000, inARow: 1, code: 'not_authenticated', reason: 'x' }
    const postponed = { as: 'postponed', code: 'not_authenticated', reason: 'x' } as const
    const [stopper] = await outboxOf(at.store)
    const move = { number: 'two', move: throttle }
    await at.store.settleSend(stop, stopper?.id ?? '', postponed, { now: T0, goOn: true }, move)
    for (const [one, state] of [
      [scheduled, 'scheduled'],
      [waiting, 'ready'],
      [behind, 'held'],
    ] as const) {
      expect((await at.store.openSend(one))?.send.state).toBe(state)
      expect(await at.store.cancelSend(one.key, T0 + 7)).toBe(true)
      expect(await at.store.findSend({ id: one.id })).toMatchObject({
        state: 'cancelled',
        settledAt: T0 + 7,
        code: undefined,
      })
      expect(await at.store.cancelSend(one.key, T0 + 8)).toBe(false)
    }
    const { begun: due } = await at.store.claimSends(claim({ now: T0 + 1, serviceNow: T0 + 9 * HOUR }))
    expect(due).toEqual([])
  })

  it('is not cancelled while an attempt is under way, nor if that may have gone out', async () => {
    for (const settlement of [
      { as: 'attempting', at: T0, code: undefined, reason: 'no answer' },
      ACCEPTED,
      { as: 'refused', code: 'x', reason: 'x' },
      { as: 'unknown', code: undefined, reason: 'x' },
      { as: 'skipped', code: 'stale', reason: 'x' },
    ] as const) {
      const one = send({ lane: `default/${settlement.as}/out` })
      const fence = await attempting(at.store, one)
      expect(await at.store.cancelSend(one.key, T0)).toBe(false)
      await at.store.settleSend(fence, one.id, settlement, { now: T0, goOn: false })
      expect(await at.store.cancelSend(one.key, T0)).toBe(false)
      expect((await at.store.findSend({ id: one.id }))?.state).toBe(settlement.as)
      // Out of the way of the next one.
      await at.store.claimSends(claim({ processName: 'else', now: T0 + 1 }))
    }
    expect(await at.store.cancelSend('sh1_unheard_of', T0)).toBe(false)
  })

  it('is gone for a claimer that has not begun it: nothing is sent, and its lane continues', async () => {
    const [one, behind] = [send(), send()]
    await at.store.openSend(one)
    await at.store.openSend(behind)
    const { fence } = await dueSend(at.store)
    expect(await at.store.cancelSend(one.key, T0)).toBe(true)
    expect(await at.store.beginSend(fence, one.id, 'freeform', T0)).toBe(false)
    const settled = await at.store.settleSend(fence, one.id, { as: 'not_begun' }, { now: T0, goOn: true })
    expect(settled).toEqual({ stands: true, next: undefined })
    expect((await dueSend(at.store)).due.send.id).toBe(behind.id)
    expect(await at.store.findSend({ id: one.id })).toMatchObject({
      state: 'cancelled',
      attempts: 0,
      firstAttemptAt: undefined,
    })
  })

  it('is gone for its claimer if it was cancelled and asked for again, with other bytes or for later [F-74]', async () => {
    for (const again of [{ body: '{"text":"other"}' }, { dueAt: T0 + HOUR }]) {
      const one = send({ lane: `default/${Object.keys(again)[0]}/out` })
      await at.store.openSend(one)
      const { fence } = await dueSend(at.store)
      await at.store.cancelSend(one.key, T0)
      const reopened = await at.store.openSend({ ...one, ...again })
      expect(reopened).toMatchObject({ found: 'reopened', send: { id: one.id, attempts: 0 } })
      expect(await at.store.beginSend(fence, one.id, 'freeform', T0, one.body)).toBe(false)
      await at.store.settleSend(fence, one.id, { as: 'not_begun' }, { now: T0, goOn: false })
      expect(await at.store.findSend({ id: one.id })).toEqual(reopened?.send)
      const { due } = await dueSend(at.store, { serviceNow: T0 + HOUR, processName: 'two' })
      expect(due.send).toMatchObject({ id: one.id, body: again.body ?? one.body })
    }
  })
}
