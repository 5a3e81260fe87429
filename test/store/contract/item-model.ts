import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Fence, BurstPart, Settlement, StartedItem } from '../../../src/store/types/index.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Backend, Place } from '../backend.ts'
import { arrive, claim, item, itemsOf, LEASE_MS, T0 } from '../samples.ts'
import { owner, playHistories, store } from './histories.ts'

const HOLDS_MS = 5_000

const RULES = { quietMs: 2_000, maxMs: 5_000, maxMessages: 4 }
const BURSTS = { alone: undefined, flushes: 'flushes', gathers: RULES } satisfies Record<string, BurstPart | undefined>

type Ending = 'done' | 'dead' | 'parked' | 'ignored' | 'holds' | 'goes_on' | 'released'

type Step =
  | { do: 'arrive'; store: number; lane: number; at: number; burst: keyof typeof BURSTS }
  | { do: 'claim'; store: number; owner: string; limit: number }
  | { do: 'settle'; store: number; fence: number; as: Ending; wait: number; goOn: boolean }
  | { do: 'renew'; store: number; owner: string }
  | { do: 'pass'; ms: number }
  | { do: 'reopen'; store: number }

/** The model of an item and of a lane, as plain as possible. */
interface Waiting {
  readonly seq: number
  readonly at: number
  readyAt: number
  attempts: number
  readonly burst: Burst | undefined
}

interface Burst {
  readonly since: number
  sealed: boolean
}

interface Lane {
  readonly waiting: Waiting[]
  holdsUntil: number
  holder: { readonly fence: Fence; until: number } | undefined
}

/**
 * Plays random histories in two stores in one place beside a small model of lanes. Stores and model must agree: which
 * lanes can be taken, which item is next, which fences still stand.
 */
export function itemModel(backend: Backend): void {
  it('hold one lane never twice, keep its order, count attempts, and seal bursts, in every history [R DEL-03, F-55]', async () => {
    await playHistories(backend, steps, (place, stores, history) => new Model(place, stores).play(history))
  })
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('arrive'),
      store,
      lane: fc.nat(2),
      at: fc.nat(9),
      burst: fc.constantFrom('alone', 'flushes', 'gathers', 'gathers', 'gathers'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim'), store, owner, limit: fc.nat(3) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('settle'),
      store,
      fence: fc.nat(5),
      as: fc.constantFrom<Ending>('done', 'done', 'dead', 'parked', 'ignored', 'holds', 'goes_on', 'released'),
      wait: fc.integer({ min: 1, max: 2 * HOLDS_MS }),
      goOn: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renew'), store, owner }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.nat(LEASE_MS + 2_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen'), store }) },
)

class Model {
  readonly #place: Place
  readonly #stores: Store[]
  readonly #lanes = new Map<string, Lane>()
  /** Every fence that was given, the newest last, with what was begun under it; many of them stale. */
  readonly #given: { readonly fence: Fence; item: StartedItem }[] = []
  #now = T0
  #settled = 0

  constructor(place: Place, stores: Store[]) {
    this.#place = place
    this.#stores = stores
  }

  async play(history: readonly Step[]): Promise<void> {
    for (const step of history) await this.#take(step)
    await this.#finish()
  }

  async #take(step: Step): Promise<void> {
    switch (step.do) {
      case 'arrive': {
        const lane = `default/${step.lane}`
        const at = T0 + step.at
        const burst = BURSTS[step.burst]
        const one = item({ lane, at, ...(burst && { burst }) })
        const seq = await arrive(this.#store(step.store), [one], this.#now)
        return this.#arrived(this.#lane(lane), seq, at, burst)
      }
      case 'claim':
        return this.#claim(this.#store(step.store), step.owner, step.limit)
      case 'settle': {
        const given = this.#given.at(-1 - step.fence)
        if (given) await this.#settle(this.#store(step.store), given, step)
        return
      }
      case 'renew':
        await this.#store(step.store).renew(this.#fencesOf(step.owner), () => this.#now, LEASE_MS)
        for (const { holder } of this.#lanes.values())
          if (holder?.fence.owner === step.owner) holder.until = this.#now + LEASE_MS
        return
      case 'pass':
        this.#now += step.ms
        return
      case 'reopen':
        await this.#store(step.store).close()
        this.#stores[step.store] = await this.#place.open()
    }
  }

  #arrived({ waiting }: Lane, seq: number, at: number, given: BurstPart | undefined): void {
    const open = waiting.filter(({ burst }) => burst?.sealed === false)
    if (typeof given !== 'object') {
      waiting.push({ seq, at, readyAt: this.#now, attempts: 0, burst: undefined })
      if (given === 'flushes') this.#seal(open)
      return
    }
    const burst = open[0]?.burst ?? { since: this.#now, sealed: false }
    const all = [...open, { seq, at, readyAt: 0, attempts: 0, burst }]
    waiting.push(all.at(-1) as Waiting)
    if (all.length >= RULES.maxMessages) return this.#seal(all)
    for (const each of all) each.readyAt = Math.min(this.#now + RULES.quietMs, burst.since + RULES.maxMs)
  }

  #seal(open: readonly Waiting[]): void {
    for (const each of open) {
      each.readyAt = this.#now
      if (each.burst) each.burst.sealed = true
    }
  }

  #fencesOf(owner: string): Fence[] {
    return [...this.#lanes.values()].flatMap(({ holder }) => (holder?.fence.owner === owner ? [holder.fence] : []))
  }

  async #claim(store: Store, owner: string, limit: number): Promise<void> {
    const free = [...this.#lanes].filter(([, lane]) => this.#isFree(lane, owner)).map(([key]) => key)
    const { held, nextAt } = await store.claimItems(
      claim({ owner, limit, now: this.#now, holding: this.#fencesOf(owner).map(({ lane }) => lane) }),
    )
    expect(held).toHaveLength(Math.min(limit, free.length))
    expect(new Set(held.map(({ fence }) => fence.lane)).size).toBe(held.length)
    for (const { fence, work } of held) {
      expect(free).toContain(fence.lane)
      const lane = this.#lane(fence.lane)
      const again = lane.holder !== undefined || lane.holdsUntil > 0
      lane.holder = { fence, until: this.#now + LEASE_MS }
      lane.holdsUntil = 0
      this.#begun(lane, work, again)
      this.#given.push({ fence, item: work })
    }
    if (free.length > held.length) expect(nextAt).toBeLessThanOrEqual(this.#now)
    else expect(nextAt).toBe(this.#earliest(owner))
  }

  async #settle(
    store: Store,
    given: { readonly fence: Fence; item: StartedItem },
    { as, wait, goOn }: { as: Ending; wait: number; goOn: boolean },
  ): Promise<void> {
    const { fence, item: begun } = given
    const lane = this.#lanes.get(fence.lane)
    const stands = lane?.holder?.fence.token === fence.token
    const at = this.#now + wait
    const settled = await store.settleItem(fence, begun.id, settlementOf(as, at), { now: this.#now, goOn })
    expect(settled.held).toBe(stands)
    if (!lane || !stands) return expect(settled.next).toBeUndefined()

    const row = lane.waiting.find(({ seq }) => seq === begun.delivery.seq)
    if (!row) throw new Error('the model lost an item')
    for (const each of burstOf(lane, row))
      if (as === 'released') each.attempts--
      else if (as === 'holds' || as === 'goes_on') each.readyAt = at
      else {
        lane.waiting.splice(lane.waiting.indexOf(each), 1)
        this.#settled++
      }
    const next = goOn && as !== 'holds' ? this.#next(lane) : undefined
    if (next && settled.next) {
      this.#begun(lane, settled.next)
      given.item = settled.next
    } else {
      expect(settled.next).toBeUndefined()
      expect(next).toBeUndefined()
      lane.holder = undefined
      lane.holdsUntil = as === 'holds' ? at : 0
      if (lane.waiting.length === 0) this.#lanes.delete(fence.lane)
    }
  }

  /** A last process takes everything after an hour; everything ends, and no lane is left. */
  async #finish(): Promise<void> {
    this.#now += 3_600_000
    const store = this.#store(0)
    await this.#claim(store, 'last', 16)
    for (const given of this.#given.slice())
      while (this.#lanes.get(given.fence.lane)?.holder?.fence.token === given.fence.token)
        await this.#settle(store, given, { as: 'done', wait: 1, goOn: true })
    expect(await this.#place.view.lanes()).toEqual([])
    const items = await itemsOf(store)
    expect(items).toHaveLength(this.#settled)
    expect(items.filter(({ settledAt }) => settledAt === undefined)).toEqual([])
  }

  #begun(lane: Lane, work: StartedItem, again = false): void {
    const expected = this.#next(lane, again)
    if (!expected) throw new Error('the model has no item in this lane')
    const burst = burstOf(lane, expected)
    for (const each of burst) each.attempts++
    if (expected.burst) expected.burst.sealed = true
    expect([...work.earlier.map((message) => message.at), work.at]).toEqual(burst.map((each) => each.at))
    expect(work.delivery.seq).toBe(burst.at(-1)?.seq)
    expect(work.attempt).toBe(expected.attempts)
  }

  /** Of what is ready the oldest payload time, then the order of arrival; `again`: what has begun before goes first. */
  #next(lane: Lane, again = false): Waiting | undefined {
    const ready = lane.waiting.filter(({ readyAt }) => readyAt <= this.#now)
    const fresh = ({ attempts }: Waiting) => Number(again && attempts === 0)
    return ready.toSorted((a, b) => fresh(a) - fresh(b) || a.at - b.at || a.seq - b.seq)[0]
  }

  #isFree(lane: Lane, owner: string): boolean {
    if (lane.holder) return lane.holder.until <= this.#now && lane.holder.fence.owner !== owner
    return lane.holdsUntil <= this.#now && this.#next(lane) !== undefined
  }

  #earliest(owner: string): number | undefined {
    const others = [...this.#lanes.values()].filter(({ holder }) => holder?.fence.owner !== owner)
    const times = others.map(({ holder, holdsUntil, waiting }) =>
      holder ? holder.until : Math.max(holdsUntil, Math.min(...waiting.map(({ readyAt }) => readyAt))),
    )
    return times.length === 0 ? undefined : Math.min(...times)
  }

  #lane(key: string): Lane {
    const lane = this.#lanes.get(key) ?? { waiting: [], holdsUntil: 0, holder: undefined }
    this.#lanes.set(key, lane)
    return lane
  }

  #store(index: number): Store {
    const store = this.#stores[index]
    if (!store) throw new Error(`there is no store ${index}`)
    return store
  }
}

/** All of the burst that an item belongs to, by payload time. */
function burstOf({ waiting }: Lane, one: Waiting): readonly Waiting[] {
  const burst = one.burst ? waiting.filter((each) => each.burst === one.burst) : [one]
  return burst.toSorted((a, b) => a.at - b.at || a.seq - b.seq)
}

function settlementOf(as: Ending, at: number): Settlement {
  if (as === 'dead' || as === 'parked') return { as, reason: 'x' }
  if (as === 'holds' || as === 'goes_on')
    return { as: 'retry', reason: 'x', at, blocksLane: as === 'holds', completedHandlers: [] }
  return as === 'released' ? { as, completedHandlers: [] } : { as }
}
