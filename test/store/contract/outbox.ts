import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { attempting, dueSend, outboxOf, seqOf } from '../acts.ts'
import { claim, delivery, ingested, REFUSED, send, T0, UNKNOWN } from '../samples.ts'
import type { NewSend } from '../../../src/store/outbox/rows.ts'
import type { Via } from '../../../src/store/database/outbox-tables.ts'
import type { SendSettlement } from '../../../src/store/outbox/send-attempts.ts'

const ACCEPTED = { as: 'accepted', messageId: 'm1', upstreamId: 'w1', possiblyTwice: false } as const
const FALLBACK = { key: 'sh1_f:fallback', body: '{"template":1}' }
const CORRECTED = {
  body: '{"text":"corrected"}',
  fallback: { key: 'sh1_f:fallback', body: '{"template":2}' },
  ref: 'corrected',
}
const FRESH = {
  state: 'ready',
  attempts: 0,
  firstAttemptAt: undefined,
  attemptingSince: undefined,
  code: undefined,
  reason: undefined,
  settledAt: undefined,
  possiblyTwice: false,
}

export function outbox(at: Stage): void {
  it('keeps the ids of its options, and one item uses them, also when it runs again', async () => {
    const options = { ids: ['yes', 'no'], once: true }
    const one = send({ options })
    await at.store.openSend(one)
    expect((await at.store.findSend({ key: one.key }))?.options).toEqual(options)
    expect((await at.store.openSend(send()))?.send.options).toBeUndefined()
    const uses = (cause: string) => at.store.useOption(one.id, cause)
    expect([await uses('first'), await uses('second'), await uses('first')]).toEqual([true, false, true])
    expect(await at.store.useOption('nothing', 'first')).toBe(false)
  })

  it('opens a send that was refused, skipped or cancelled again, with the bytes, fallback and reference of now [B IDEM-05]', async () => {
    for (const ending of ['refused', 'skipped', 'cancelled'] as const) {
      const one = send({ lane: `default/${ending}/out`, fallback: { ...FALLBACK, key: `${ending}:fallback` } })
      await end(one, ending)
      const corrected = { ...one, ...CORRECTED, fallback: { ...CORRECTED.fallback, key: `${ending}:fallback` } }
      const again = await at.store.openSend({ ...corrected, id: `another ${ending}`, createdAt: T0 + 9 })
      expect(again).toMatchObject({ found: 'reopened', diverged: false })
      expect(again?.send).toMatchObject({ ...corrected, id: one.id, createdAt: T0, ...FRESH })
      expect((await dueSend(at.store, { now: T0 + 9 })).due.send).toMatchObject({ id: one.id, body: CORRECTED.body })
    }
  })

  it('is opened again once if two processes ask at the same time, and both get the same send [F-74]', async () => {
    const other = await at.place.open()
    const one = send()
    await end(one, 'refused')
    const answers = await Promise.all([at.store.openSend(one), other.openSend(one)])
    expect(new Set(answers.map((answer) => answer?.found))).toEqual(new Set(['known', 'reopened']))
    expect((await at.store.claimSends(claim())).begun).toHaveLength(1)
    expect((await other.claimSends(claim({ processName: 'two' }))).begun).toHaveLength(0)
  })

  it('records a send once per key, and gives the recorded one back [B IDEM-06]', async () => {
    const first = send({
      ref: 'order 7',
      delivery: '01J5',
      fallback: { key: 'sh1_x:fallback', body: '{"template":1}' },
    })
    const opened = await at.store.openSend(first)
    expect(opened).toMatchObject({ found: 'new', diverged: false })
    expect(opened?.send).toMatchObject({ ...first, state: 'ready', attempts: 0, possiblyTwice: false, diverged: false })
    const again = await at.store.openSend({ ...first, id: 'send-999999' })
    expect(again).toEqual({ send: opened?.send, found: 'known', diverged: false, later: [] })
    expect(await outboxOf(at.store)).toHaveLength(1)
    expect(await at.store.findSend({ id: first.id })).toEqual(opened?.send)
    expect(await at.store.findSend({ id: 'send-999999' })).toBeUndefined()
  })

  it('records concurrent sends under one key once, from two stores too [B IDEM-06]', async () => {
    const other = await at.place.open()
    const first = send()
    const opened = await Promise.all([
      at.store.openSend(first),
      other.openSend({ ...first, id: 'send-999998' }),
      at.store.openSend({ ...first, id: 'send-999999' }),
    ])
    expect(opened.filter((one) => one?.found === 'new')).toHaveLength(1)
    expect(opened.filter((one) => one?.found === 'known')).toHaveLength(2)
    expect(new Set(opened.map((one) => one?.send.id)).size).toBe(1)
  })

  it('keeps the recorded bytes if others are asked for under their key, and marks the send [F-75]', async () => {
    const first = send()
    await at.store.openSend(first)
    const other = await at.store.openSend({ ...first, body: '{"text":"other"}' })
    expect(other).toMatchObject({ found: 'known', diverged: true, send: { body: first.body, diverged: true } })
    // The mark stays; a run that asks for the recorded text again did not diverge.
    expect(await at.store.openSend(first)).toMatchObject({ diverged: false, send: { diverged: true } })
  })

  it('sends nothing to one customer under the key of another one’s message, refused or not [F-75]', async () => {
    const first = send()
    await at.store.openSend(first)
    const other = { ...send({ customer: '255712000102' }), key: first.key }
    const known = await at.store.openSend(other)
    expect(known).toMatchObject({ found: 'known', diverged: true, send: { customer: first.customer } })
    await attempt('freeform', REFUSED)
    expect(await at.store.openSend(other)).toMatchObject({ found: 'known', send: { state: 'refused' } })
    expect(await outboxOf(at.store)).toMatchObject([{ customer: first.customer, body: first.body }])
    expect(await at.place.view.lanes()).toEqual([])
  })

  it('marks a send that ends as unknown as possibly twice if it was repeated, and not if there was one attempt alone [B IDEM-06, F-65]', async () => {
    for (const attempts of [1, 2]) {
      const one = send()
      await at.store.openSend(one)
      const { fence } = await dueSend(at.store)
      for (let made = 0; made < attempts; made++) await at.store.beginSend(fence, one.id, 'freeform', T0)
      await at.store.settleSend(fence, one.id, UNKNOWN, { now: T0, goOn: false })
      expect(await at.store.findSend({ id: one.id })).toMatchObject({ attempts, possiblyTwice: attempts > 1 })
    }
  })

  it('finds the send that a status speaks of by either id, the service’s own first [B SEND-25]', async () => {
    const [first, second] = [send(), send()]
    await at.store.openSend(first)
    await attempt('freeform', ACCEPTED)
    await at.store.openSend(second)
    await attempt('freeform', { ...ACCEPTED, messageId: 'm2', upstreamId: undefined, possiblyTwice: true })
    expect((await at.store.findSend({ messageId: 'm1' }))?.id).toBe(first.id)
    expect((await at.store.findSend({ upstreamId: 'w1' }))?.id).toBe(first.id)
    expect((await at.store.findSend({ messageId: 'm2', upstreamId: 'w1' }))?.id).toBe(second.id)
    expect((await at.store.findSend({ messageId: 'unheard of', upstreamId: 'w1' }))?.id).toBe(first.id)
    expect(await at.store.findSend({ messageId: 'w1' })).toBeUndefined()
    expect(await at.store.findSend({})).toBeUndefined()
    expect(await at.store.findSend({ id: second.id })).toMatchObject({ possiblyTwice: true, upstreamId: undefined })
  })

  it('keeps the time of the first attempt, and of the first in doubt, through repeats, and counts them [B IDEM-07]', async () => {
    const one = send()
    await at.store.openSend(one)
    const { fence, due } = await dueSend(at.store, { now: T0 + 1 })
    expect(due.send).toMatchObject({ state: 'ready', attempts: 0 })
    await at.store.beginSend(fence, one.id, 'freeform', T0 + 1)
    expect(await at.store.findSend({ id: one.id })).toMatchObject({
      state: 'attempting',
      attempts: 1,
      firstAttemptAt: T0 + 1,
      attemptingSince: T0 + 1,
    })
    const repeat = { as: 'attempting', at: T0 + 500, code: undefined, reason: 'time-out' } as const
    await at.store.settleSend(fence, one.id, repeat, { now: T0 + 2, goOn: true })
    const second = await dueSend(at.store, { now: T0 + 500 })
    expect(second.due.send).toMatchObject({ state: 'attempting', reason: 'time-out' })
    await at.store.beginSend(second.fence, one.id, 'freeform', T0 + 500)
    expect(await at.store.findSend({ id: one.id })).toMatchObject({
      attempts: 2,
      firstAttemptAt: T0 + 1,
      attemptingSince: T0 + 1,
    })
    const refused = { as: 'ready', at: T0 + 600, code: 'rate_limited', reason: '429' } as const
    await at.store.settleSend(second.fence, one.id, refused, { now: T0 + 501, goOn: true })
    const third = await dueSend(at.store, { now: T0 + 600 })
    await at.store.beginSend(third.fence, one.id, 'freeform', T0 + 600)
    expect(await at.store.findSend({ id: one.id })).toMatchObject({
      attempts: 3,
      firstAttemptAt: T0 + 1,
      attemptingSince: T0 + 600,
    })
  })

  it('turns to the template under its own key, as another attempt, and at once [B GEN-04]', async () => {
    const one = send({ fallback: { key: 'sh1_b:fallback', body: '{"template":1}' } })
    await at.store.openSend(one)
    const { fence } = await dueSend(at.store)
    await at.store.beginSend(fence, one.id, 'freeform', T0)
    const { stands, next } = await at.store.settleSend(fence, one.id, { as: 'fall_back' }, { now: T0 + 1, goOn: true })
    expect(stands).toBe(true)
    expect(next?.work.send).toMatchObject({
      id: one.id,
      state: 'ready',
      via: 'template',
      attempts: 0,
      firstAttemptAt: undefined,
      fallback: { key: 'sh1_b:fallback', body: '{"template":1}' },
    })
  })

  it('gives with a due send when the customer last wrote, and whether deliveries are pending', async () => {
    await at.store.openSend(send())
    const before = await dueSend(at.store)
    expect(before.due).toMatchObject({ lastInboundAt: undefined, unread: false })
    const seq = await seqOf(at.store, delivery())
    const later = { as: 'ready', at: T0, code: undefined, reason: 'x' } as const
    const unread = await at.store.settleSend(before.fence, before.due.send.id, later, { now: T0, goOn: true })
    expect(unread.next).toMatchObject({ work: { lastInboundAt: undefined, unread: true } })
    const windows = [{ number: 'default', customer: '255712000101', lastAt: T0 - 7 }]
    await at.store.ingest(seq, { ...ingested(), windows }, T0)
    const read = await at.store.settleSend(unread.next?.fence ?? before.fence, before.due.send.id, later, {
      now: T0,
      goOn: true,
    })
    expect(read.next).toMatchObject({ work: { lastInboundAt: T0 - 7, unread: false } })
  })

  async function end(one: NewSend, as: 'refused' | 'skipped' | 'cancelled'): Promise<void> {
    if (as !== 'cancelled') {
      const fence = await attempting(at.store, one)
      await at.store.settleSend(fence, one.id, { ...REFUSED, as }, { now: T0, goOn: true })
      return
    }
    await at.store.openSend(one)
    await at.store.cancelSend(one.key, T0)
  }

  async function attempt(via: Via, settlement: SendSettlement): Promise<void> {
    const { fence, due } = await dueSend(at.store)
    await at.store.beginSend(fence, due.send.id, via, T0)
    await at.store.settleSend(fence, due.send.id, settlement, { now: T0, goOn: true })
  }
}
