import { expect, it } from 'vitest'
import { arrive } from '../acts.ts'
import { claim, item, send, T0 } from '../samples.ts'
import type { Stage } from './index.ts'
import type { Claim, Fence } from '../../../src/store/work/lanes.ts'

const UNTIL = T0 + 60_000
const LATER = { code: 'rate_limited', reason: 'later' }

/** Claims of several numbers' lanes. */
export function fairClaims(at: Stage): void {
  it('gives each number its turn: of each the lane that waits longest, then of each the next [F-55]', async () => {
    await waiting({ a: 4, b: 2, c: 1 })
    expect(await order(claim({ limit: 7 }))).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  })

  it('begins with the number behind the one whose turn was last, and comes round to it', async () => {
    await waiting({ a: 3, b: 3, c: 3 })
    expect(await order(claim({ limit: 2, after: 'a' }))).toEqual(['b1', 'c1'])
    expect(await order(claim({ limit: 3, after: 'c' }))).toEqual(['a1', 'b2', 'c2'])
    expect(await order(claim({ limit: 2, after: 'b' }))).toEqual(['c3', 'a2'])
    // A name that no number has any more.
    expect(await order(claim({ limit: 9, after: 'bb' }))).toEqual(['a3', 'b3'])
  })

  it('reaches a number by its turn, however many lanes another one has waiting, and says that more wait', async () => {
    await waiting({ noisy: 20 })
    await waiting({ quiet: 1 })
    const { begun, nextAt } = await at.store.claimItems(claim({ limit: 2 }))
    expect(begun.map(({ work }) => work.number)).toEqual(['noisy', 'quiet'])
    expect(nextAt).toBeLessThanOrEqual(T0)
  })

  it('takes no lane of a number that has its share, and does not call it ready meanwhile', async () => {
    await waiting({ noisy: 20 })
    await waiting({ quiet: 2 })
    const shared = { free: 8, byNumber: new Map([['noisy', 56]]) }
    const { begun, nextAt } = await at.store.claimItems(claim({ limit: 3, shared }))
    expect(begun.map(({ work }) => work.number)).toEqual(['quiet', 'quiet'])
    expect(nextAt).toBeUndefined()
    // The share may be used up within the claim.
    const used = await at.store.claimItems(
      claim({ limit: 30, shared: { free: 9, byNumber: new Map([['noisy', 55]]) } }),
    )
    expect(used.begun).toHaveLength(1)
    expect(used.nextAt).toBeLessThanOrEqual(T0)
    // A claim that takes long on a busy machine ends early.
    let rest = 0
    for (let begun = 1; begun > 0; rest += begun) begun = (await at.store.claimItems(claim({ limit: 30 }))).begun.length
    expect(rest).toBe(19)
  })

  it('gives sends of each number their turn too, past a number that is paused with all that it has waiting [R SEND-22, F-55]', async () => {
    const { fence, id } = await begunSend('paused')
    await Promise.all(Array.from({ length: 20 }, (_, index) => open('paused', index)))
    for (const [index, number] of ['b', 'a', 'b', 'b'].entries()) await open(number, 100 + index)
    await pause(fence, id)
    const { begun, nextAt } = await at.store.claimSends(claim({ limit: 9 }))
    expect(begun.map(({ work }) => work.send.number)).toEqual(['a', 'b', 'b', 'b'])
    expect(nextAt).toBe(UNTIL)
    const after = await at.store.claimSends(claim({ now: UNTIL, limit: 9, processName: 'two' }))
    expect(after.begun.filter(({ work }) => work.send.number === 'paused')).toHaveLength(1)
  })

  it('takes a send of another number where the probe of one that has its share would be first [R SEND-22, F-55]', async () => {
    const { fence, id } = await begunSend('paused')
    await open('paused', 1)
    await open('quiet', 2)
    await pause(fence, id)
    const shared = { free: 8, byNumber: new Map([['paused', 56]]) }
    const { begun, nextAt } = await at.store.claimSends(claim({ now: UNTIL, limit: 1, shared }))
    expect(begun.map(({ work }) => work.send.number)).toEqual(['quiet'])
    expect(nextAt).toBeUndefined()
    const next = await at.store.claimSends(claim({ now: UNTIL, limit: 1 }))
    expect(next.begun.map(({ work }) => work.send.number)).toEqual(['paused'])
  })

  /** So many lanes of each number, in each of which one item waits. */
  async function waiting(lanes: Record<string, number>): Promise<void> {
    for (const [number, count] of Object.entries(lanes)) {
      const customers = Array.from({ length: count }, (_, index) => `${index + 1}`)
      const items = customers.map((customer, idx) => item({ idx, number, customer, lane: `${number}/${customer}` }))
      await arrive(at.store, items)
    }
  }

  async function order(request: Claim): Promise<string[]> {
    const { begun } = await at.store.claimItems(request)
    return begun.map(({ work }) => `${work.number}${work.customer}`)
  }

  async function open(number: string, customer: number) {
    const given = send({ number, customer: `${customer}`, lane: `${number}/${customer}/out` })
    await at.store.openSend(given)
    return given
  }

  async function pause(fence: Fence, id: string) {
    const move = { stopped: false, closedUntil: UNTIL, inARow: 1, ...LATER }
    const next = { now: T0, goOn: false }
    await at.store.settleSend(fence, id, { as: 'ready', at: UNTIL, ...LATER }, next, { number: 'paused', move })
  }

  async function begunSend(number: string) {
    const { id } = await open(number, 0)
    const { begun } = await at.store.claimSends(claim())
    const [first] = begun
    if (!first) throw new Error('no send is due')
    await at.store.beginSend(first.fence, id, 'freeform', T0)
    return { fence: first.fence, id }
  }
}
