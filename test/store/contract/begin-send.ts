import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { dueSend } from '../acts.ts'
import {
  ACCEPTED,
  ASHA,
  beginning,
  claim,
  DAY,
  delivery,
  ingested,
  LEASE_MS,
  REFUSED,
  RULES,
  send,
  T0,
  WHO,
} from '../samples.ts'
import type { Stage } from './index.ts'
import type { BeginningSend } from '../../../src/store/outbox/open.ts'
import type { NewSend } from '../../../src/store/outbox/rows.ts'
import type { NumberThrottle } from '../../../src/store/outbox/send-rules.ts'
import type { Begun } from '../../../src/store/work/lanes.ts'
import type { DueSend } from '../../../src/store/outbox/send-attempts.ts'

const WHY = { code: 'rate_limited', reason: 'too many' }

/** Sends that begin in the commit that records them. */
export function beginSend(at: Stage): void {
  it('begins if its lane is idle: no claim is needed, and one settlement ends it [F-74]', async () => {
    const windows = [{ ...WHO, lastAt: T0 - DAY }]
    await at.store.accept(delivery(), { ingested: { ...ingested(), windows } })
    const one = send({ fallback: { key: 'sh1_f', body: '{}' } })
    const { fence, work } = await begun(at.store, one)
    const row = { state: 'attempting', via: 'template', attempts: 1, firstAttemptAt: T0, attemptingSince: T0 }
    expect(work).toMatchObject({ attemptRecorded: true, send: { ...one, ...row } })
    expect(await at.store.findSend({ id: one.id })).toEqual(work.send)
    expect((await at.store.claimSends(claim({ processName: 'two', now: T0 + LEASE_MS - 1 }))).begun).toEqual([])
    const settled = await at.store.settleSend(fence, one.id, ACCEPTED, { now: T0, goOn: true })
    expect(settled).toEqual({ stands: true, next: undefined })
    expect(await at.place.view.lanes()).toEqual([])
  })

  it('waits for its turn while another send to that customer waits or is under way [F-77]', async () => {
    const [first, second, third, fourth] = [send(), send(), send(), send()]
    await at.store.openSend(first)
    await waits(at.store, second)
    const { fence } = await dueSend(at.store)
    await waits(at.store, third)
    const { next } = await at.store.settleSend(fence, first.id, ACCEPTED, { now: T0, goOn: true })
    expect(next?.work.send.id).toBe(second.id)
    await at.store.settleSend(fence, second.id, ACCEPTED, { now: T0, goOn: false })
    await waits(at.store, fourth)
    expect((await dueSend(at.store)).due.send.id).toBe(third.id)
  })

  it('keeps the order of those that are recorded in one commit [F-77]', async () => {
    const [first, second, other] = [send(), send(), send({ customer: '255712000102' })]
    const opened = await Promise.all([first, second, other].map((one) => open(at.store, one)))
    expect(opened.map((one) => one?.begun?.work.send.id)).toEqual([first.id, undefined, other.id])
    const { fence } = opened[0]?.begun ?? expect.fail('the first one did not begin')
    const { next } = await at.store.settleSend(fence, first.id, ACCEPTED, { now: T0, goOn: true })
    expect(next?.work.send).toMatchObject({ id: second.id, state: 'ready', attempts: 0 })
  })

  it('waits for a claim if the process has no room, or its rules say that it is to wait', async () => {
    expect((await at.store.openSend(send()))?.begun).toBeUndefined()
    const rules = { ...RULES, allowedRecipients: new Set<string>() }
    await waits(at.store, send({ customer: '255712000102' }), { rules })
    expect((await at.store.claimSends(claim())).begun).toHaveLength(2)
  })

  it('is found in doubt if its process is killed, with the same bytes and key [B IDEM-07, F-65]', async () => {
    const one = send()
    const killed = await begun(at.store, one)
    const heir = await dueSend(at.store, { processName: 'two', now: T0 + LEASE_MS })
    expect(heir.due.attemptRecorded).toBeUndefined()
    expect(heir.due.send).toMatchObject({ ...one, state: 'attempting', attempts: 1, attemptingSince: T0 })
    const late = await at.store.settleSend(killed.fence, one.id, ACCEPTED, { now: T0 + LEASE_MS, goOn: true })
    expect(late.stands).toBe(false)
    expect((await at.store.findSend({ id: one.id }))?.state).toBe('attempting')
  })

  it('begins in one process, if two record sends to a customer at once [F-55, F-77]', async () => {
    const other = await at.place.open()
    const opened = await Promise.all([
      open(at.store, send()),
      open(other, send(), { processName: 'two' }),
      open(at.store, send()),
      open(other, send(), { processName: 'two' }),
    ])
    expect(opened.filter((one) => one?.begun)).toHaveLength(1)
  })

  it('waits while its number is paused or stopped; the probe is a claimed send [B ERR-05, F-70]', async () => {
    const pause: NumberThrottle = { stopped: false, closedUntil: T0 + 1_000, inARow: 1, ...WHY }
    const [paused, stopped] = [await meet(pause), await meet({ ...pause, stopped: true }, 'branch')]
    expect(await waits(at.store, paused())).toBe('ready')
    expect(await waits(at.store, paused(), { now: T0 + 1_000 })).toBe('ready')
    expect(await waits(at.store, stopped(), { now: T0 + 1_000 })).toBe('held')
    expect((await at.store.claimSends(claim({ now: T0 + 1_000 }))).begun).toHaveLength(2)
  })

  it('does not begin if it is for later, or taken over, or known', async () => {
    expect(await waits(at.store, send({ dueAt: T0 + 1 }))).toBe('scheduled')
    await at.store.takeOver({ number: 'default', customer: ASHA, by: 'agent', since: T0, until: T0 + 10 })
    expect(await waits(at.store, send({ repliedAt: T0 }))).toBe('skipped')
    const one = send()
    const { fence } = await begun(at.store, one)
    await at.store.settleSend(fence, one.id, ACCEPTED, { now: T0, goOn: true })
    expect(await waits(at.store, one)).toBe('accepted')
  })

  /** An answer changes the throttle of a number; the result makes sends of that number, each to another customer. */
  async function meet(move: NumberThrottle, number = 'default'): Promise<() => NewSend> {
    let customers = 0
    const fresh = () => {
      const customer = `25571200020${customers++}`
      return send({ number, customer, lane: `${number}/${customer}/out` })
    }
    const one = fresh()
    const { fence } = await begun(at.store, one)
    await at.store.settleSend(fence, one.id, REFUSED, { now: T0, goOn: true }, { number, move })
    return fresh
  }
}

function open(store: Store, one: NewSend, given: Partial<BeginningSend> = {}) {
  return store.openSend(one, { begin: beginning(given) })
}

async function begun(store: Store, one: NewSend, given: Partial<BeginningSend> = {}): Promise<Begun<DueSend>> {
  const opened = await open(store, one, given)
  if (!opened?.begun) throw new Error(`the send is ${opened?.send.state}, and did not begin`)
  return opened.begun
}

/** Records a send that is not to begin; the answer is its state. */
async function waits(store: Store, one: NewSend, given: Partial<BeginningSend> = {}): Promise<string | undefined> {
  const opened = await open(store, one, given)
  expect(opened).not.toHaveProperty('begun')
  return opened?.send.state
}
