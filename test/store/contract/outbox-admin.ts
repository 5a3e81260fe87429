import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { outboxOf } from '../acts.ts'
import { claim, send, T0, UNKNOWN } from '../samples.ts'
import type { NewSend } from '../../../src/store/outbox/rows.ts'
import type { Resolution } from '../../../src/store/outbox/send-resolutions.ts'
import type { NumberThrottle } from '../../../src/store/outbox/send-rules.ts'
import type { SendState } from '../../../src/store/database/outbox-tables.ts'
import type { Fence } from '../../../src/store/work/lanes.ts'
import type { DueSend, SendSettlement } from '../../../src/store/outbox/send-attempts.ts'

const MINUTE = 60_000
const REFUSED = { as: 'refused', code: 'template_not_found', reason: 'not there' } as const
const STOPPED: NumberThrottle = {
  stopped: true,
  closedUntil: T0 + MINUTE,
  inARow: 1,
  code: 'not_authenticated',
  reason: 'no',
}
const HELD = { as: 'postponed', code: STOPPED.code, reason: STOPPED.reason } as const
const ALL: readonly Resolution[] = ['accepted', 'resend', 'drop']

/** A person looks at the outbox and resolves its sends. */
export function outboxAdmin(at: Stage): void {
  it('lists sends a page at a time, the last recorded first, whatever their ids and clocks say', async () => {
    const all = [send({ createdAt: T0 + 9 }), send(), send({ createdAt: T0 - 9 }), send(), send()]
    for (const one of all) await at.store.openSend(one)
    const newestFirst = all.map(({ id }) => id).reverse()
    const first = await at.store.listSends({ limit: 2 })
    const second = await at.store.listSends({ limit: 2, after: first.next ?? 0 })
    const third = await at.store.listSends({ limit: 2, after: second.next ?? 0 })
    expect([first, second, third].map(({ sends }) => sends.map(({ id }) => id))).toEqual([
      newestFirst.slice(0, 2),
      newestFirst.slice(2, 4),
      newestFirst.slice(4),
    ])
    expect(third.next).toBeUndefined()
    expect(first.sends[0]).toEqual(await at.store.findSend({ id: newestFirst[0] ?? '' }))
  })

  it('lists by state, number and customer, each alone and together', async () => {
    const refused = await settled(send({ number: 'retail' }), REFUSED)
    const retail = await opened(send({ number: 'retail', lane: 'a' }))
    const juma = await opened(send({ number: 'retail', customer: '255712000102' }))
    const other = await opened(send({ lane: 'b' }))
    const found = async (query: { state?: SendState; number?: string; customer?: string }) =>
      (await at.store.listSends({ ...query, limit: 9 })).sends.map(({ id }) => id)
    expect(await found({})).toEqual([other.id, juma.id, retail.id, refused.id])
    expect(await found({ state: 'refused' })).toEqual([refused.id])
    expect(await found({ number: 'retail' })).toEqual([juma.id, retail.id, refused.id])
    expect(await found({ customer: '255712000102' })).toEqual([juma.id])
    expect(await found({ state: 'ready', number: 'retail', customer: retail.customer })).toEqual([retail.id])
    expect(await found({ state: 'unknown' })).toEqual([])
  })

  it('shows a stopped number with the time of its stop, through probes, until it resumes [B ERR-05]', async () => {
    const one = await stop()
    expect(await at.store.closedThrottles(T0)).toEqual([{ ...STOPPED, number: 'default', since: T0 }])
    const later = { ...STOPPED, closedUntil: T0 + 2 * MINUTE, inARow: 2 }
    const probe = await head(T0 + MINUTE)
    await at.store.beginSend(probe.fence, one.id, 'freeform', T0 + MINUTE)
    await settleHead(probe, HELD, T0 + MINUTE, later)
    expect(await at.store.closedThrottles(T0 + 9 * MINUTE)).toEqual([{ ...later, number: 'default', since: T0 }])
    const last = await head(T0 + 2 * MINUTE)
    await settleHead(last, REFUSED, T0 + 2 * MINUTE, 'resumed')
    expect(await at.store.closedThrottles(T0)).toEqual([])
  })

  it.each<[SendState, readonly Resolution[], () => Promise<NewSend>]>([
    ['unknown', ALL, () => settled(alone(), UNKNOWN)],
    ['refused', ['resend', 'drop'], () => settled(alone(), REFUSED)],
    ['held', ['drop'], stop],
    ['accepted', [], () => settled(send(), { as: 'accepted', messageId: 'm', upstreamId: 'u', possiblyTwice: false })],
  ])(
    'lets a person resolve a send that is %s as one of %j, and as nothing else [B IDEM-07, F-76]',
    async (state, may, make) => {
      for (const as of ALL) {
        const { id } = await make()
        expect((await outboxOf(at.store)).at(-1)).toMatchObject({ id, state })
        const before = await at.place.view.snapshot()
        const resolved = await at.store.resolveSend(id, as, T0)
        expect(resolved).toMatchObject({ done: may.includes(as), was: state, send: { id } })
        expect(resolved?.send).toEqual(await at.store.findSend({ id }))
        if (!may.includes(as)) expect(await at.place.view.snapshot()).toEqual(before)
      }
    },
  )

  it('settles a send that arrived as accepted, without ids: nothing goes out again [B IDEM-07, F-76]', async () => {
    const one = await settled(send(), UNKNOWN)
    await at.store.resolveSend(one.id, 'accepted', T0 + 5)
    expect(await at.store.findSend({ id: one.id })).toMatchObject({
      state: 'accepted',
      messageId: undefined,
      upstreamId: undefined,
      possiblyTwice: false,
      settledAt: T0 + 5,
    })
    expect(await at.store.openSend(one)).toMatchObject({ found: 'known', send: { state: 'accepted' } })
    expect((await at.store.claimSends(claim({ now: T0 + MINUTE }))).begun).toEqual([])
  })

  it('resends an unknown send with the same bytes and key, marked, and without its fallback [B IDEM-07, F-76]', async () => {
    const fallback = { key: 'sh1_x:fallback', body: '{"template":1}' }
    const one = await settled(send({ fallback, expiresAt: T0 - 1 }), UNKNOWN)
    const woken: string[] = []
    at.store.onWork((work) => woken.push(work))
    await at.store.resolveSend(one.id, 'resend', T0 + 5)
    expect(woken).toEqual(['sends'])
    const { due } = await head(T0 + 5)
    expect(due.send).toMatchObject({
      id: one.id,
      key: one.key,
      body: one.body,
      via: 'freeform',
      fallback: undefined,
      state: 'ready',
      attempts: 0,
      firstAttemptAt: undefined,
      expiresAt: undefined,
      settledAt: undefined,
      code: undefined,
      reason: undefined,
      possiblyTwice: true,
    })
  })

  it('resends without a mark a send that surely did not arrive, with its fallback and in its lane as before [B IDEM-05]', async () => {
    const fallback = { key: 'sh1_z:fallback', body: '{"template":1}' }
    const one = await settled(send({ fallback, expiresAt: T0 - 1 }), REFUSED)
    const [first, second] = [await opened(send()), await opened(send())]
    await at.store.resolveSend(one.id, 'resend', T0)
    const { fence, due } = await head(T0)
    expect(due.send).toMatchObject({ id: one.id, fallback, possiblyTwice: false, expiresAt: undefined })
    const next = await at.store.settleSend(fence, one.id, REFUSED, { now: T0, goOn: true })
    expect(next.next?.work.send.id).toBe(first.id)
    const last = await at.store.settleSend(next.next?.fence ?? fence, first.id, REFUSED, { now: T0, goOn: true })
    expect(last.next?.work.send.id).toBe(second.id)
  })

  it('resends a reply that was skipped for a take-over, though the take-over is still in force', async () => {
    const one = send({ repliedAt: T0 })
    const { number, customer } = one
    await at.store.takeOver({ number, customer, by: 'agent', since: T0 - 1, until: T0 + MINUTE })
    expect(await at.store.openSend(one)).toMatchObject({ send: { state: 'skipped' } })
    await at.store.resolveSend(one.id, 'resend', T0)
    const { due } = await head(T0)
    expect(due).toMatchObject({ send: { id: one.id, state: 'ready' }, silence: undefined })
  })

  it('drops for good: no rerun opens it again, whatever it asks for', async () => {
    const one = await settled(send(), REFUSED)
    await at.store.resolveSend(one.id, 'drop', T0 + 5)
    for (const asked of [one, { ...one, body: '{"text":"corrected"}' }])
      expect(await at.store.openSend(asked)).toMatchObject({
        found: 'known',
        send: { state: 'dropped', body: one.body },
      })
    expect(await at.store.findSend({ id: one.id })).toMatchObject({ state: 'dropped', settledAt: T0 + 5 })
    expect((await at.store.claimSends(claim({ now: T0 + MINUTE }))).begun).toEqual([])
  })

  it('names the numbers that are probed and counts what they held, for one number or for all [B ERR-05]', async () => {
    await stop('retail')
    await stop('wholesale')
    await opened(send({ number: 'wholesale', lane: 'wholesale/x' }))
    const resumed = (of = {}) => at.store.resumeSends({ restored: true, ...of })
    expect(await resumed({ number: 'nobody' })).toEqual({ throttles: [], held: 0, restored: 0 })
    expect(await resumed({ number: 'retail' })).toEqual({ throttles: ['retail'], held: 1, restored: 0 })
    expect((await at.store.claimSends(claim())).begun.map(({ work }) => work.send.number)).toEqual(['retail'])
    expect(await resumed()).toMatchObject({ throttles: ['retail', 'wholesale'], held: 3 })
  })

  /** In its own lane. */
  function alone(): NewSend {
    return send({ lane: `default/${send().id}/out` })
  }

  async function opened(one: NewSend): Promise<NewSend> {
    await at.store.openSend(one)
    return one
  }

  /** Recorded, begun and brought to an end. */
  async function settled(one: NewSend, settlement: SendSettlement, via: 'freeform' | 'template' = 'freeform') {
    await opened(one)
    const { begun } = await at.store.claimSends(claim())
    for (const { fence, work } of begun) {
      if (work.send.id === one.id) await at.store.beginSend(fence, one.id, via, T0)
      const outcome = work.send.id === one.id ? settlement : ({ as: 'not_begun' } as const)
      await at.store.settleSend(fence, work.send.id, outcome, { now: T0, goOn: false })
    }
    return one
  }

  /** A send that was turned away, and stopped its number. */
  async function stop(number = 'default'): Promise<NewSend> {
    const lane = `${number}/${send().id}/out`
    const one = await opened(send({ number, lane }))
    const { begun } = await at.store.claimSends(claim())
    const found = begun.find(({ fence }) => fence.lane === lane)
    // If the number was stopped before, the send is held from the start.
    if (found) await settleHead({ fence: found.fence, due: found.work }, HELD, T0, STOPPED)
    return one
  }

  async function settleHead(
    { fence, due }: { fence: Fence; due: DueSend },
    settlement: SendSettlement,
    now: number,
    move?: NumberThrottle | 'resumed',
  ): Promise<void> {
    const throttle = move && { number: due.send.number, move }
    await at.store.settleSend(fence, due.send.id, settlement, { now, goOn: false }, throttle)
  }

  async function head(now: number): Promise<{ fence: Fence; due: DueSend }> {
    const [begun] = (await at.store.claimSends(claim({ now }))).begun
    if (!begun) throw new Error('no send is due')
    return { fence: begun.fence, due: begun.work }
  }
}
