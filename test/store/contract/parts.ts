import { describe, expect, it } from 'vitest'
import { attempting, dueSend, outboxOf } from '../acts.ts'
import { ACCEPTED, beginning, claim, HOUR, REFUSED, send, T0, UNKNOWN } from '../samples.ts'
import type { Stage } from './index.ts'
import type { NewSend } from '../../../src/store/outbox/rows.ts'
import type { SendState } from '../../../src/store/database/outbox-tables.ts'
import type { SendSettlement } from '../../../src/store/outbox/send-attempts.ts'

/** Messages in parts, and sends that are moved to another time. */
export function parts(at: Stage): void {
  const states = async () => (await outboxOf(at.store)).map(({ state }) => state)
  const settle = (fence: Awaited<ReturnType<typeof attempting>>, as: SendSettlement, goOn = true) =>
    at.store.settleSend(fence, String(fence.of), as, { now: T0, goOn })

  it('are recorded in the commit of the first, and begin behind it with what became of the part before', async () => {
    const first = inParts()
    const opened = await at.store.openSend(first, { begin: beginning() })
    expect(opened).toMatchObject({
      begun: { work: { before: undefined } },
      later: [{ state: 'ready', part: { of: first.key, nth: 2 } }, { part: { of: first.key, nth: 3 } }],
    })
    await at.store.openSend(send())
    const fence = opened?.begun?.fence
    if (!fence) throw new Error('the first part has not begun')
    const { next } = await settle(fence, ACCEPTED)
    expect(next?.work).toMatchObject({ send: { part: { nth: 2 } }, before: { state: 'accepted', via: 'freeform' } })
    const row = (await at.store.findSend({ id: first.id })) ?? expect.fail('the first part is not there')
    expect((await at.store.withStatuses(row)).parts).toMatchObject([{ row: { state: 'accepted' } }, {}, {}])
  })

  it('are found again with the first, whatever is asked for then', async () => {
    const first = inParts()
    await at.store.openSend(first)
    for (const again of [first, { ...first, body: '{"text":"other"}' }, inParts(5, { key: first.key })])
      expect(await at.store.openSend(again)).toMatchObject({ found: 'known', later: [{ state: 'ready' }, {}] })
    expect(await states()).toEqual(['ready', 'ready', 'ready'])
  })

  it('are ended with a first that surely does not go out', async () => {
    await at.store.takeOver({ number: 'default', customer: send().customer, by: 'person', since: T0, until: T0 + HOUR })
    await at.store.openSend(inParts(3, { repliedAt: T0 }))
    expect(await states()).toEqual(['skipped', 'skipped', 'skipped'])
    expect((await outboxOf(at.store)).map(({ code }) => code)).toEqual(['taken_over', 'earlier_part', 'earlier_part'])
  })

  it('are replaced if the first is opened again, and another number of them is recorded', async () => {
    const first = inParts()
    await settle(await attempting(at.store, first), REFUSED, false)
    const opened = await at.store.openSend(inParts(2, { key: first.key, id: first.id }))
    expect(opened).toMatchObject({ found: 'reopened', later: [{ part: { nth: 2 } }] })
    expect(await states()).toEqual(['ready', 'ready'])
    await at.store.cancelSend(first.key, T0)
    expect(await at.store.openSend({ ...first, part: undefined, later: undefined })).toMatchObject({ later: [] })
    expect(await states()).toEqual(['ready'])
  })

  it('wait outside their lane for one that is unknown, until somebody settles that', async () => {
    for (const [as, state] of [
      ['accepted', 'ready'],
      ['resend', 'ready'],
      ['drop', 'ready'],
    ] as const) {
      const first = inParts(2, { lane: `default/${as}/out` })
      const { next } = await settle(await attempting(at.store, first), UNKNOWN)
      if (!next) throw new Error('the second part has not begun')
      expect(next.work.before).toMatchObject({ state: 'unknown' })
      await settle(next.fence, { as: 'held', code: 'earlier_part', reason: 'x' }, false)
      const [, second] = first.later ? [first, ...first.later] : []
      expect(await at.store.findSend({ id: second?.id ?? '' })).toMatchObject({ state: 'held', code: 'earlier_part' })
      await at.store.resolveSend(first.id, as, T0)
      expect(await at.store.findSend({ id: second?.id ?? '' })).toMatchObject({ state, code: undefined })
      await at.store.claimSends(claim({ processName: `else ${as}`, now: T0 }))
    }
  })

  it('find out again at each start whether they are sent', async () => {
    const first = inParts(2)
    const { next } = await settle(await attempting(at.store, first), UNKNOWN)
    if (!next) throw new Error('the second part has not begun')
    await settle(next.fence, { as: 'held', code: 'earlier_part', reason: 'x' }, false)
    await at.store.resumeSends({ restored: false })
    expect((await dueSend(at.store)).due.send).toMatchObject({ part: { nth: 2 }, possiblyTwice: false })
  })

  it('follow a part that is accepted later than they were tried', async () => {
    const first = inParts(2, { dueAt: T0 + HOUR })
    await at.store.openSend(first)
    await at.store.cancelSend(first.key, T0)
    await at.store.resolveSend(first.id, 'resend', T0)
    // A person wants it again, at its time: the second part has none.
    const early = await dueSend(at.store)
    expect(early.due).toMatchObject({ send: { part: { nth: 2 } }, before: { state: 'scheduled' } })
    await settle(early.fence, { as: 'held', code: 'earlier_part', reason: 'x' }, false)
    const again = await dueSend(at.store, { serviceNow: T0 + HOUR })
    const others = [send(), send()]
    for (const one of others) await at.store.openSend(one)
    await at.store.beginSend(again.fence, first.id, 'freeform', T0)
    const order: unknown[] = []
    for (
      let { next } = await settle(again.fence, ACCEPTED);
      next;
      next = (await settle(next.fence, { ...ACCEPTED, messageId: String(order.length) })).next
    )
      order.push(next.work.before ?? next.work.send.id)
    expect(order).toEqual([{ state: 'accepted', via: 'freeform' }, ...others.map(({ id }) => id)])
  })

  it('come due together, in order, behind what waits', async () => {
    await at.store.openSend(inParts(3, { dueAt: T0 + HOUR }))
    expect(await states()).toEqual(['scheduled', 'scheduled', 'scheduled'])
    const waiting = send()
    await at.store.openSend(waiting)
    await at.store.claimSends(claim({ serviceNow: T0 + 2 * HOUR, limit: 0 }))
    const rows = await outboxOf(at.store)
    expect(rows.map(({ id, part }) => (id === waiting.id ? 'waiting' : part?.nth))).toEqual(['waiting', 1, 2, 3])
  })

  describe('a send of the app’s', () => {
    const later = (hours: number, given: Partial<NewSend> = {}) =>
      send({ dueAt: T0 + hours * HOUR, moves: true, body: `{"text":"at ${hours}"}`, ...given })

    it('is moved to another time, with its body, fallback and reference, and keeps its id', async () => {
      const one = later(1, { fallback: { key: 'f1', body: '{"old":1}' } })
      await at.store.openSend(one)
      const two = later(2, { key: one.key, ref: 'two', fallback: { key: 'f1', body: '{"new":1}' } })
      expect(await at.store.openSend(two)).toMatchObject({
        found: 'reopened',
        moved: true,
        send: { id: one.id, state: 'scheduled', dueAt: two.dueAt, body: two.body, ref: 'two', fallback: two.fallback },
      })
      expect((await at.store.claimSends(claim({ serviceNow: T0 + 1.5 * HOUR }))).begun).toEqual([])
      expect((await dueSend(at.store, { serviceNow: T0 + 2 * HOUR })).due.send).toMatchObject({ body: two.body })
    })

    it('is moved by the last call, to an earlier time, to now, and from now to later', async () => {
      const one = later(5)
      await at.store.openSend(one)
      for (const hours of [3, 7, 1]) await at.store.openSend(later(hours, { key: one.key }))
      expect(await at.store.findSend({ id: one.id })).toMatchObject({ dueAt: T0 + HOUR, body: '{"text":"at 1"}' })
      const now = { ...later(0, { key: one.key }), dueAt: undefined }
      expect(await at.store.openSend(now)).toMatchObject({ moved: true, send: { state: 'ready', dueAt: undefined } })
      expect(await at.store.openSend(later(4, { key: one.key }))).toMatchObject({ send: { state: 'scheduled' } })
      expect((await at.store.claimSends(claim())).begun).toEqual([])
    })

    it('that waits in its lane leaves it, and what waits behind it begins', async () => {
      const [one, behind] = [{ ...later(0), dueAt: undefined }, send()]
      for (const each of [one, behind]) await at.store.openSend(each)
      const { fence } = await dueSend(at.store)
      expect(await at.store.openSend(later(4, { key: one.key }))).toMatchObject({ moved: true })
      expect(await at.store.beginSend(fence, one.id, 'freeform', T0, one.body)).toBe(false)
      expect((await dueSend(at.store)).due.send.id).toBe(behind.id)
    })

    it('that is moved to now goes behind what waits, and begins at once if nothing does', async () => {
      const [one, waiting] = [later(5), send()]
      for (const each of [one, waiting]) await at.store.openSend(each)
      const now = { ...later(0, { key: one.key }), dueAt: undefined }
      expect((await at.store.openSend(now, { begin: beginning() }))?.begun).toBeUndefined()
      expect((await outboxOf(at.store)).map(({ id }) => id)).toEqual([waiting.id, one.id])
      const alone = later(5, { lane: 'default/alone/out' })
      await at.store.openSend(alone)
      const again = { ...alone, dueAt: undefined }
      expect((await at.store.openSend(again, { begin: beginning() }))?.begun).toMatchObject({
        work: { send: alone.id && { id: alone.id } },
      })
    })

    it('is moved with its parts: others, fewer and none', async () => {
      const one = inParts(3, { dueAt: T0 + HOUR })
      await at.store.openSend(one)
      const moved = inParts(2, { key: one.key, dueAt: T0 + 2 * HOUR, moves: true })
      expect(await at.store.openSend(moved)).toMatchObject({ moved: true, later: [{ dueAt: T0 + 2 * HOUR }] })
      expect(await states()).toEqual(['scheduled', 'scheduled'])
      expect(await at.store.openSend(later(3, { key: one.key }))).toMatchObject({ moved: true, later: [] })
      expect(await states()).toEqual(['scheduled'])
    })

    it('is not moved without another time, nor by a send that does not move', async () => {
      const one = later(1)
      await at.store.openSend(one)
      for (const again of [one, { ...later(2, { key: one.key }), moves: false }]) {
        const opened = await at.store.openSend(again)
        expect(opened).toMatchObject({ found: 'known', send: { dueAt: one.dueAt } })
        expect(opened?.moved).toBeUndefined()
      }
    })

    it.each<[SendState, SendSettlement?]>([
      ['attempting'],
      ['accepted', ACCEPTED],
      ['unknown', UNKNOWN],
      ['ready', { as: 'ready', at: T0 + 9, code: 'x', reason: 'x' }],
    ])('that is %s has begun: it stays, and the caller hears so', async (state, settlement) => {
      const one = { ...later(0), dueAt: undefined }
      const fence = await attempting(at.store, one)
      if (settlement) await settle(fence, settlement, false)
      const again = later(2, { key: one.key })
      expect(await at.store.openSend(again)).toMatchObject({
        found: 'known',
        moved: false,
        diverged: true,
        send: { state },
      })
      expect(await at.store.findSend({ id: one.id })).toMatchObject({ state, body: one.body })
    })

    it('that was surely not sent is opened again for its new time, as without a move', async () => {
      const one = { ...later(0), dueAt: undefined }
      await settle(await attempting(at.store, one), REFUSED, false)
      const opened = await at.store.openSend(later(2, { key: one.key }))
      expect(opened).toMatchObject({ found: 'reopened', send: { state: 'scheduled' } })
      expect(opened?.moved).toBeUndefined()
    })

    it('that is held after a restore is not moved: it may have gone out', async () => {
      const one = later(1)
      await at.store.openSend(one)
      const restored = await at.place.open({ restored: true })
      const again = await restored.openSend(later(2, { key: one.key }))
      expect(again).toMatchObject({ found: 'known', moved: false, send: { state: 'held', dueAt: one.dueAt } })
    })
  })

  function inParts(count = 3, given: Partial<NewSend> = {}): NewSend {
    const first = send(given)
    const part = (nth: number) => ({ of: first.key, nth })
    const rest = Array.from({ length: count - 1 }, (_, index) => ({
      ...send({ lane: first.lane, dueAt: first.dueAt, repliedAt: first.repliedAt }),
      key: `${first.key}/${index + 2}`,
      part: part(index + 2),
    }))
    return { ...first, asked: `{"whole":${JSON.stringify(first.body)}}`, part: part(1), later: rest }
  }
}
