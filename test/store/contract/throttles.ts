import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { PROBE_EVERY_MS, type NumberThrottle, type ThrottleChange } from '../../../src/store/outbox/send-rules.ts'
import { attempting, dueSend } from '../acts.ts'
import { ACCEPTED, claim, JUMA, LEASE_MS, NEEMA, send, T0 } from '../samples.ts'
import type { Stage } from './index.ts'
import type { ThrottleMove } from '../../../src/store/outbox/throttles.ts'
import type { SendState } from '../../../src/store/database/outbox-tables.ts'
import type { SendSettlement } from '../../../src/store/outbox/send-attempts.ts'

const WHY = { code: 'not_authenticated', reason: 'the token is not known' }
const HELD = { as: 'postponed', ...WHY } as const
const LATER = { as: 'ready', at: T0, code: 'rate_limited', reason: 'later' } as const

/** A number whose sends the service turned away. */
export function throttles(at: Stage): void {
  it('lets one probe out of a stopped number, from two processes too, and the next a minute later [B ERR-05, F-72]', async () => {
    const other = await at.place.open()
    await stop([send(), send({ customer: JUMA }), send({ customer: NEEMA })])
    const due = T0 + PROBE_EVERY_MS
    for (const store of [at.store, other]) expect((await store.claimSends(claim({ now: due - 1 }))).begun).toEqual([])
    const claims = await Promise.all([
      at.store.claimSends(claim({ now: due, processName: 'one' })),
      other.claimSends(claim({ now: due, processName: 'two' })),
    ])
    expect(claims.flatMap(({ begun }) => begun)).toHaveLength(1)
    const next = due + PROBE_EVERY_MS
    for (const store of [at.store, other])
      expect(await store.claimSends(claim({ now: next - 1, processName: 'three' }))).toMatchObject({
        begun: [],
        nextAt: next,
      })
  })

  it('holds the next send of a lane whose send was accepted meanwhile [B ERR-05]', async () => {
    const [one, next, other] = [send(), send(), send({ customer: JUMA })]
    const fence = await attempting(at.store, one)
    await at.store.openSend(next)
    const turnedAway = await attempting(at.store, other)
    await settle(turnedAway, other.id, LATER, T0, paused(T0 + 30_000))
    const settled = await at.store.settleSend(fence, one.id, ACCEPTED, { now: T0, goOn: true })
    expect(settled).toEqual({ stands: true, next: undefined })
    expect((await at.store.claimSends(claim({ now: T0 + 29_999 }))).begun).toEqual([])
  })

  it('sends another probe a minute later if the process of the last one is gone [B ERR-05]', async () => {
    const one = send()
    await stop([one])
    const first = await dueSend(at.store, { now: T0 + PROBE_EVERY_MS, processName: 'killed' })
    await at.store.beginSend(first.fence, one.id, 'freeform', T0 + PROBE_EVERY_MS)
    // Its lease has run out long before, and still there is one probe a minute.
    const early = T0 + 2 * PROBE_EVERY_MS - 1
    expect((await at.store.claimSends(claim({ now: early, processName: 'two' }))).begun).toEqual([])
    const { due } = await dueSend(at.store, { now: early + 1, processName: 'two' })
    expect(due.send).toMatchObject({ id: one.id, state: 'attempting' })
  })

  it('probes with a send whose outcome is unknown, before any that was never attempted [B IDEM-07, F-78]', async () => {
    const inDoubt = send({ customer: NEEMA })
    const fence = await attempting(at.store, inDoubt)
    const until = T0 + 30_000
    const doubtful = { as: 'attempting', at: until, code: 'internal_error', reason: '503' } as const
    await settle(fence, inDoubt.id, doubtful, T0, paused(until))
    // They wait for longer than that one.
    for (const other of [send(), send({ customer: JUMA })]) await at.store.openSend(other)
    const { begun } = await at.store.claimSends(claim({ now: until }))
    expect(begun.map(({ work }) => work.send.id)).toEqual([inDoubt.id])
  })

  describe('that two processes pace', () => {
    const CLOSED_UNTIL = T0 + 30_000
    const LIMITED = { ...LATER, at: T0 + 500 }

    it.each<[string, SendSettlement, ThrottleChange]>([
      ['ends it by a success', ACCEPTED, 'resumed'],
      ['shortens it', LIMITED, { ...paused(T0 + 1_000), inARow: 2 }],
      ['prolongs it', LIMITED, { ...paused(T0 + 90_000), inARow: 2 }],
    ])(
      'keeps its pause: no attempt of another process that began before it %s [R SEND-22, F-72]',
      async (_how, as, move) => {
        const { here, there, mine, other } = await bothAttempt({ ...paused(0), inARow: 1 })
        await here.settleSend(mine.fence, mine.id, LIMITED, { now: T0, goOn: true }, seeing(paused(CLOSED_UNTIL), 2))
        await there.settleSend(other.fence, other.id, as, { now: T0, goOn: true }, { number: 'default', move, seen: 1 })
        for (const store of [here, there]) {
          const claimed = await store.claimSends(claim({ now: CLOSED_UNTIL - 1, processName: 'three' }))
          expect(claimed).toMatchObject({ begun: [], nextAt: CLOSED_UNTIL })
        }
        expect((await there.claimSends(claim({ now: CLOSED_UNTIL, processName: 'three' }))).begun).toHaveLength(1)
      },
    )

    it('counts the trouble that either of them met', async () => {
      const { here, there, mine, other } = await bothAttempt(undefined)
      const trouble = { number: 'default', move: paused(0), seen: 0 }
      await here.settleSend(mine.fence, mine.id, LIMITED, { now: T0, goOn: true }, trouble)
      await there.settleSend(other.fence, other.id, LIMITED, { now: T0, goOn: true }, trouble)
      const { due } = await dueSend(there, { now: T0 + 500, processName: 'three', limit: 1 })
      expect(due.throttle).toMatchObject({ inARow: 2 })
    })

    const seeing = (move: NumberThrottle, inARow: number): ThrottleMove => ({
      number: 'default',
      move: { ...move, inARow },
      seen: 1,
    })

    /** Two processes, each in an attempt that began before either of them was answered; a third send waits. */
    async function bothAttempt(before: NumberThrottle | undefined) {
      const [here, there]: [Store, Store] = [at.store, await at.place.open()]
      if (before) {
        const first = send()
        const fence = await attempting(here, first)
        await settle(fence, first.id, { as: 'refused', code: undefined, reason: 'x' }, T0, before)
      }
      const mine = send()
      const other = send({ customer: JUMA })
      const fence = await attempting(here, mine)
      const fenceOfOther = await attempting(there, other, { processName: 'two' })
      await here.openSend(send({ customer: NEEMA }))
      return { here, there, mine: { fence, id: mine.id }, other: { fence: fenceOfOther, id: other.id } }
    }
  })

  it('uses up no attempt: a held send can be cancelled, and its ten minutes have not begun [B ERR-05]', async () => {
    const one = send()
    await stop([one])
    for (const minute of [1, 2, 3]) {
      const now = T0 + minute * PROBE_EVERY_MS
      const { fence, due } = await dueSend(at.store, { now })
      expect(due.send).toMatchObject({ state: 'held', attempts: 0, firstAttemptAt: undefined, ...WHY })
      await at.store.beginSend(fence, one.id, 'freeform', now)
      await settle(fence, one.id, HELD, now, stopped(now))
    }
    expect(await at.store.findSend({ id: one.id })).toMatchObject({
      state: 'held',
      attempts: 0,
      firstAttemptAt: undefined,
    })
    expect(await at.store.cancelSend(one.key, T0)).toBe(true)
  })

  it('holds what is recorded while the number is stopped, and lets all of it go when it resumes [B ERR-05]', async () => {
    const [first, behind, other] = [send(), send(), send({ customer: JUMA })]
    await stop([first])
    expect((await at.store.openSend(behind))?.send).toMatchObject({ state: 'held', ...WHY })
    expect((await at.store.openSend(other))?.send).toMatchObject({ state: 'held', ...WHY })
    const probed = T0 + PROBE_EVERY_MS
    await at.store.renew('one', () => probed, LEASE_MS)
    const { fence, due } = await dueSend(at.store, { now: probed })
    await at.store.beginSend(fence, due.send.id, 'freeform', probed)
    const { next } = await settle(fence, due.send.id, ACCEPTED, probed, 'resumed')
    expect(due.send.id).toBe(first.id)
    expect(next?.work.send).toMatchObject({ id: behind.id, state: 'ready', code: undefined, reason: undefined })
    expect((await dueSend(at.store, { now: probed, processName: 'two' })).due.send).toMatchObject({ id: other.id })
    expect((await at.store.openSend(send({ customer: NEEMA })))?.send.state).toBe('ready')
  })

  it('holds what waited when the number was stopped, and no one-time code, which never waits [B ERR-05]', async () => {
    const [first, behind] = [send(), send()]
    const fence = await attempting(at.store, first)
    await at.store.openSend(behind)
    const code = send({ slot: 'code', key: '' })
    const lease = { processName: 'one', leaseMs: LEASE_MS, now: T0 }
    await at.store.openCode({ ...code, lane: `code/${code.id}` }, ['sh1_code'], lease)
    await settle(fence, first.id, HELD, T0, stopped(T0))
    expect(await at.store.findSend({ id: behind.id })).toMatchObject({ state: 'held', attempts: 0, ...WHY })
    expect((await at.store.findSend({ id: code.id }))?.state).toBe('ready')
  })

  it('shows what a stopped number holds, whatever it waited for, and its own reason once the number continues [B ERR-05]', async () => {
    const [waits, scheduled, turnedAway] = [send(), send({ customer: NEEMA, dueAt: T0 + 5 }), send({ customer: JUMA })]
    for (const one of [waits, scheduled]) await at.store.openSend(one)
    const { fence: first } = await dueSend(at.store)
    await settle(first, waits.id, { ...LATER, at: T0 + 9 }, T0)
    await settle(await attempting(at.store, turnedAway, { processName: 'two' }), turnedAway.id, HELD, T0, stopped(T0))
    const shown = async (state: SendState) =>
      (await at.store.listSends({ state, limit: 9 })).sends.map(({ id, code }) => [id, code])
    const held = [waits, turnedAway].map(({ id }) => [id, WHY.code]).reverse()
    expect([await shown('held'), await shown('ready')]).toEqual([held, []])
    expect((await at.store.counts()).sends).toEqual({ held: 2, scheduled: 1 })
    const due = T0 + PROBE_EVERY_MS
    const { fence: probe, due: probed } = await dueSend(at.store, { now: due, serviceNow: due })
    expect((await at.store.counts()).sends).toEqual({ held: 3 })
    await settle(probe, probed.send.id, ACCEPTED, due, 'resumed')
    expect(await at.store.findSend({ id: waits.id })).toMatchObject({ state: 'ready', code: LATER.code })
    expect((await at.store.counts()).sends).toEqual({ accepted: 1, ready: 2 })
    expect(await shown('held')).toEqual([])
  })

  it('paces the whole number after 429: nothing goes before the pause is over, then one, and with it all [B ERR-05, F-70]', async () => {
    const [limited, other] = [send(), send({ customer: JUMA })]
    const fence = await attempting(at.store, limited)
    await settle(fence, limited.id, { ...LATER, at: T0 + 10 }, T0, paused(T0 + 2_000))
    expect((await at.store.openSend(other))?.send.state).toBe('ready')
    expect(await at.store.claimSends(claim({ now: T0 + 1_999 }))).toEqual({ begun: [], nextAt: T0 + 2_000 })
    const { fence: probe, due } = await dueSend(at.store, { now: T0 + 2_000 })
    expect(due.throttle).toMatchObject({ stopped: false, inARow: 1, code: 'rate_limited' })
    expect((await at.store.claimSends(claim({ now: T0 + 2_001, processName: 'two' }))).begun).toEqual([])
    await settle(probe, due.send.id, ACCEPTED, T0 + 2_002, 'resumed')
    expect((await dueSend(at.store, { now: T0 + 2_002, processName: 'two' })).due.throttle).toBeUndefined()
  })

  /** The first send is turned away and stops its number; the others wait. */
  async function stop(sends: readonly ReturnType<typeof send>[]): Promise<void> {
    const [first, ...others] = sends
    if (!first) return
    const fence = await attempting(at.store, first)
    await settle(fence, first.id, HELD, T0, { number: first.number, move: stopped(T0) })
    for (const other of others) await at.store.openSend(other)
  }

  function settle(
    fence: Awaited<ReturnType<typeof attempting>>,
    id: string,
    settlement: SendSettlement,
    now: number,
    change?: ThrottleChange | ThrottleMove,
  ) {
    const throttle =
      change === undefined || (typeof change === 'object' && 'move' in change) ? change : named(fence.lane, change)
    return at.store.settleSend(fence, id, settlement, { now, goOn: true }, throttle)
  }
}

function named(lane: string, move: ThrottleChange) {
  return { number: lane.slice(0, lane.indexOf('/')), move }
}

function stopped(now: number): NumberThrottle {
  return { stopped: true, closedUntil: now + PROBE_EVERY_MS, inARow: 1, ...WHY }
}

function paused(closedUntil: number): NumberThrottle {
  return { stopped: false, closedUntil, inARow: 1, code: 'rate_limited', reason: 'too many' }
}
