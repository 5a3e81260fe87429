import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DueSend, Fence, Held, NewSend, SendSettlement, SendState } from '../../../src/store/types/index.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Backend } from '../backend.ts'
import { beginning, claim, LEASE_MS, outboxOf, send, T0 } from '../samples.ts'
import { owner, playHistories, store } from './histories.ts'

type Ending = Exclude<SendSettlement['as'], 'held' | 'skipped' | 'gone'>

type Step =
  | { do: 'open'; store: number; key: number; text: number; begins?: string | undefined }
  | { do: 'claim'; store: number; owner: string }
  | { do: 'begin'; store: number; fence: number }
  | { do: 'settle'; store: number; fence: number; as: Ending; wait: number; goOn: boolean }
  | { do: 'renew'; store: number; owner: string }
  | { do: 'pass'; ms: number }

interface Sending {
  readonly id: string
  readonly lane: string
  body: string
  state: SendState
  nextAt: number
}

/** Random histories of the outbox beside a small model: what is final stays, bytes are fixed, the order holds. */
export function sendModel(backend: Backend): void {
  it('keep one send per key, its bytes and its order, in every history [B IDEM-06, F-74, F-75, F-77]', async () => {
    await playHistories(backend, steps, (_place, stores, history) => new Model(stores).play(history))
  })
}

const fence = fc.nat(3)

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('open'),
      store,
      key: fc.nat(7),
      text: fc.nat(1),
      begins: fc.option(owner, { nil: undefined }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim'), store, owner }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('begin'), store, fence }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('settle'),
      store,
      fence,
      as: fc.constantFrom<Ending>('accepted', 'refused', 'refused', 'unknown', 'ready', 'attempting', 'fall_back'),
      wait: fc.integer({ min: 1, max: LEASE_MS }),
      goOn: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renew'), store, owner }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.nat(LEASE_MS + 2_000) }) },
)

interface Holder {
  readonly fence: Fence
  until: number
}

const FINAL: readonly SendState[] = ['accepted', 'refused', 'unknown']

class Model {
  readonly #stores: readonly Store[]
  readonly #sends = new Map<string, Sending>()
  readonly #holders = new Map<string, Holder>()
  readonly #given: { readonly fence: Fence; due: DueSend }[] = []
  #now = T0

  constructor(stores: readonly Store[]) {
    this.#stores = stores
  }

  async play(history: readonly Step[]): Promise<void> {
    for (const step of history) await this.#take(step)
    const rows = await outboxOf(this.#stores[0] as Store)
    expect(rows).toHaveLength(this.#sends.size)
    for (const { key, id, body, state } of rows) expect(this.#sends.get(key)).toMatchObject({ id, body, state })
  }

  async #take(step: Step): Promise<void> {
    if (step.do === 'pass') {
      this.#now += step.ms
      return
    }
    const store = this.#stores[step.store]
    if (!store) throw new Error('there is no such store')
    if (step.do === 'open') return this.#open(store, step)
    if (step.do === 'claim') return this.#claim(store, step.owner)
    if (step.do === 'renew') {
      await store.renew(step.owner, () => this.#now, LEASE_MS)
      for (const holder of this.#holders.values())
        if (holder.fence.owner === step.owner) holder.until = this.#now + LEASE_MS
      return
    }
    const given = this.#given.at(-1 - step.fence)
    if (!given) return
    const stands = this.#holders.get(given.fence.lane)?.fence.token === given.fence.token
    if (step.do === 'begin') {
      expect(await store.beginSend(given.fence, given.due.send.id, 'freeform', this.#now)).toBe(
        stands ? 'begun' : 'lost',
      )
      if (stands) this.#sendOf(given).state = 'attempting'
      return
    }
    await this.#settle(store, given, step, stands)
  }

  /** @param o.begins the owner that begins the send, if its lane is idle. */
  async #open(store: Store, { key: number, text, begins }: Extract<Step, { do: 'open' }>): Promise<void> {
    const wanted: NewSend = send({
      key: `key ${number}`,
      customer: `25571200010${number % 2}`,
      body: `{"text":"${text}"}`,
      fallback: { key: `key ${number}:fallback`, body: '{}' },
      createdAt: this.#now,
    })
    const isIdle = this.#head(wanted.lane) === undefined && !this.#holders.has(wanted.lane)
    const begin = begins === undefined ? undefined : beginning({ owner: begins, now: this.#now })
    const opened = await store.openSend(wanted, { begin })
    const known = this.#sends.get(wanted.key)
    const state = begin && isIdle ? 'attempting' : 'ready'
    if (!known) {
      expect(opened).toMatchObject({ found: 'new', diverged: false, send: { id: wanted.id, state } })
      const { id, lane, body } = wanted
      this.#sends.set(wanted.key, { id, lane, body, state, nextAt: this.#now })
    } else if (known.state === 'refused') {
      expect(opened).toMatchObject({ found: 'reopened', send: { id: known.id, state, body: wanted.body } })
      Object.assign(known, { body: wanted.body, state, nextAt: this.#now })
    } else {
      const diverged = known.body !== wanted.body
      const { id, body } = known
      expect(opened).toMatchObject({ found: 'known', diverged, send: { id, state: known.state, body } })
    }
    const isBegun = opened?.found !== 'known' && state === 'attempting'
    expect(opened?.begun !== undefined).toBe(isBegun)
    if (opened?.begun) this.#hold(opened.begun)
  }

  #fencesOf(owner: string): Fence[] {
    return [...this.#holders.values()].flatMap(({ fence }) => (fence.owner === owner ? [fence] : []))
  }

  async #claim(store: Store, owner: string): Promise<void> {
    const runOut = (holder: Holder) => holder.until <= this.#now && holder.fence.owner !== owner
    const free = this.#lanes().filter((lane) => {
      const [head, holder] = [this.#head(lane), this.#holders.get(lane)]
      return head !== undefined && head.nextAt <= this.#now && (holder === undefined || runOut(holder))
    })
    const { held } = await store.claimSends(
      claim({ owner, now: this.#now }),
    )
    expect(held.map((one) => one.fence.lane).sort()).toEqual(free.sort())
    // A lane whose lease expired while its head waits is released.
    for (const [lane, holder] of this.#holders) if (runOut(holder)) this.#holders.delete(lane)
    for (const { fence: taken, work } of held) {
      expect(work.send).toMatchObject(expected(this.#head(taken.lane)))
      this.#hold({ fence: taken, work })
    }
  }

  #hold({ fence: taken, work }: Held<DueSend>): void {
    this.#holders.set(taken.lane, { fence: taken, until: this.#now + LEASE_MS })
    this.#given.push({ fence: taken, due: work })
  }

  async #settle(
    store: Store,
    given: { readonly fence: Fence; due: DueSend },
    { as, wait, goOn }: { as: Ending; wait: number; goOn: boolean },
    stands: boolean,
  ): Promise<void> {
    const { lane } = given.fence
    const settlement = settlementOf(as, this.#now + wait)
    const settled = await store.settleSend(given.fence, given.due.send.id, settlement, { now: this.#now, goOn })
    expect(settled.held).toBe(stands)
    if (!stands) return expect(settled.next).toBeUndefined()
    const one = this.#sendOf(given)
    one.state = as === 'fall_back' ? 'ready' : as
    if (as === 'fall_back') one.nextAt = this.#now
    else if (!FINAL.includes(as)) one.nextAt = this.#now + wait
    const next = this.#head(lane)
    if (goOn && next && next.nextAt <= this.#now) {
      expect(settled.next?.work.send).toMatchObject(expected(next))
      if (settled.next) given.due = settled.next
    } else {
      expect(settled.next).toBeUndefined()
      this.#holders.delete(lane)
    }
  }

  #sendOf({ due }: { readonly due: DueSend }): Sending {
    const one = this.#sends.get(due.send.key)
    if (!one) throw new Error('the model lost a send')
    return one
  }

  #lanes(): string[] {
    return [...new Set([...this.#sends.values()].map(({ lane }) => lane))]
  }

  /**
   * The lane's first send that is to go out, in the order of recording; the map keeps that order through a reopening.
   */
  #head(lane: string): Sending | undefined {
    const open = [...this.#sends.values()].filter((one) => one.lane === lane && !FINAL.includes(one.state))
    return open[0]
  }
}

/** Compares the store's send with the model's. */
function expected(one: Sending | undefined): object {
  if (!one) throw new Error('the model has no send in this lane')
  return { id: one.id, body: one.body, state: one.state }
}

function settlementOf(as: Ending, at: number): SendSettlement {
  if (as === 'accepted') return { as, messageId: 'm1', upstreamId: undefined, possiblyTwice: false }
  if (as === 'refused' || as === 'unknown') return { as, code: 'x', reason: 'x' }
  return as === 'fall_back' ? { as } : { as, at, code: 'x', reason: 'x' }
}
