import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { dueSend } from '../acts.ts'
import { ACCEPTED, claim, LEASE_MS, REFUSED, send, T0, UNKNOWN } from '../samples.ts'

export function sendLanes(at: Stage): void {
  it('sends to one customer in the order of recording: sends behind the head wait while the head waits [F-77]', async () => {
    const [first, second] = [send(), send()]
    await at.store.openSend(first)
    await at.store.openSend(second)
    for (const as of ['ready', 'attempting'] as const) {
      const now = T0 + 60_000
      const { fence, due } = await dueSend(at.store, { now })
      expect(due.send.id).toBe(first.id)
      await at.store.beginSend(fence, first.id, 'freeform', now)
      const later = { as, at: now + 500, code: 'rate_limited', reason: 'later' } as const
      expect(await at.store.settleSend(fence, first.id, later, { now, goOn: true })).toEqual({
        stands: true,
        next: undefined,
      })
      expect(await at.store.claimSends(claim({ now: now + 499 }))).toEqual({ begun: [], nextAt: now + 500 })
      expect(await at.store.findSend({ id: first.id })).toMatchObject({
        state: as,
        code: 'rate_limited',
        nextAt: now + 500,
      })
      const again = await dueSend(at.store, { now: now + 500 })
      await at.store.settleSend(again.fence, first.id, { ...later, at: T0 }, { now: T0, goOn: false })
    }
    const { fence } = await dueSend(at.store, { now: T0 + 60_000 })
    const { next } = await at.store.settleSend(fence, first.id, ACCEPTED, { now: T0, goOn: true })
    expect(next?.work.send.id).toBe(second.id)
  })

  it('continues for a number that is named like the lanes of one-time codes [F-77]', async () => {
    const lane = `code/${send().customer}/out`
    const all = [send({ number: 'code', lane }), send({ number: 'code', lane })]
    for (const one of all) await at.store.openSend(one)
    const { fence } = await dueSend(at.store)
    const { next } = await at.store.settleSend(fence, all[0]?.id ?? '', ACCEPTED, { now: T0, goOn: true })
    expect(next?.work.send.id).toBe(all[1]?.id)
    const later = { as: 'ready', at: T0 + 500, code: undefined, reason: 'later' } as const
    await at.store.settleSend(fence, all[1]?.id ?? '', later, { now: T0, goOn: true })
    expect((await dueSend(at.store, { now: T0 + 500 })).due.send.id).toBe(all[1]?.id)
  })

  it('is not held up by a send that was refused, or whose outcome is unknown [F-77]', async () => {
    const all = [send(), send(), send()]
    for (const one of all) await at.store.openSend(one)
    const { fence } = await dueSend(at.store)
    const second = (await at.store.settleSend(fence, all[0]?.id ?? '', REFUSED, { now: T0, goOn: true })).next
    expect(second?.work.send.id).toBe(all[1]?.id)
    const third = (await at.store.settleSend(fence, all[1]?.id ?? '', UNKNOWN, { now: T0, goOn: true })).next
    expect(third?.work.send.id).toBe(all[2]?.id)
  })

  it('lets a zombie change nothing: neither begin nor settle [F-74]', async () => {
    const one = send()
    await at.store.openSend(one)
    const zombie = await dueSend(at.store, { processName: 'zombie' })
    const heir = await dueSend(at.store, { now: T0 + LEASE_MS, processName: 'heir' })
    const before = await at.place.view.snapshot()
    expect(await at.store.beginSend(zombie.fence, one.id, 'template', T0)).toBe(false)
    expect(await at.store.settleSend(zombie.fence, one.id, ACCEPTED, { now: T0, goOn: true })).toEqual({
      stands: false,
      next: undefined,
    })
    expect(await at.place.view.snapshot()).toEqual(before)
    expect(await at.store.beginSend(heir.fence, one.id, 'freeform', T0 + LEASE_MS)).toBe(true)
  })

  it('takes a send that is recorded while another one of its lane runs as that process’s next one', async () => {
    const [first, second] = [send(), send()]
    await at.store.openSend(first)
    const { fence } = await dueSend(at.store)
    await at.store.openSend(second)
    expect((await at.store.claimSends(claim({ processName: 'two' }))).begun).toEqual([])
    const { next } = await at.store.settleSend(fence, first.id, ACCEPTED, { now: T0, goOn: true })
    expect(next?.work.send.id).toBe(second.id)
  })
}
