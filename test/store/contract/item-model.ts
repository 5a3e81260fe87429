import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import type { Backend, Place } from '../backend.ts'
import { itemsOf } from '../acts.ts'
import { BEGINS, claim, delivery, ingested, item, LEASE_MS, T0 } from '../samples.ts'
import { playHistories, store } from './histories.ts'
import type { StartedItem } from '../../../src/store/work/items.ts'
import type { Fence } from '../../../src/store/work/lanes.ts'
import type { Settlement } from '../../../src/store/work/settle.ts'

const LANES = ['255712000101', '255712000102', '255712000103']
const PROCESSES = ['one', 'two', 'three']
const ENDINGS = ['done', 'dead', 'blocks', 'leaves', 'released'] as const

type Ending = (typeof ENDINGS)[number]

type Step =
  /** It may begin at once, in its own process. */
  | {
      readonly do: 'arrive'
      readonly store: number
      readonly lane: number
      readonly at: number
      readonly begins: boolean
    }
  | { readonly do: 'claim'; readonly store: number; readonly process: number; readonly limit: number }
  | {
      readonly do: 'settle'
      readonly store: number
      readonly run: number
      readonly as: Ending
      readonly wait: number
      readonly goOn: boolean
    }
  | { readonly do: 'renew'; readonly store: number; readonly process: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'reopen'; readonly store: number }

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('arrive' as const),
      store,
      lane: fc.nat(2),
      at: fc.nat(50),
      begins: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('claim' as const), store, process: fc.nat(2), limit: fc.nat(3) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      store,
      run: fc.nat(3),
      as: fc.constantFrom(...ENDINGS),
      wait: fc.constantFrom(1, 500, 60_000),
      goOn: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renew' as const), store, process: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 600, 4_000, LEASE_MS) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const), store }) },
)

/** What the model knows of an item that has not ended. */
interface Open {
  readonly seq: number
  readonly lane: string
  readonly at: number
  attempts: number
  /** It waits outside its lane, for its time. */
  outside: boolean
  /** Its process died during its last attempt. */
  crashed: boolean
}

interface Run {
  readonly process: string
  readonly fence: Fence
  readonly item: StartedItem
}

export function itemModel(backend: Backend): void {
  it('runs one item of a lane at a time, the oldest of what waits first and a rerun before all, and ends each once, in every history [R DEL-03, F-55]', async () => {
    await playHistories(backend, steps, (place, stores, history) => new Model(place, stores).play(history))
  })
}

class Model {
  readonly #place: Place
  readonly #stores: Store[]
  readonly #open = new Map<number, Open>()
  /** The run of each lane that was not taken over. */
  readonly #running = new Map<string, Run>()
  readonly #leases = new Map<string, number>()
  readonly #dead = new Set<string>()
  readonly #runs: Run[] = []
  #ended = 0
  #now = T0

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
        const lane = `default/${LANES[step.lane]}`
        const at = T0 + step.at
        const process = `begins ${this.#open.size + this.#ended}`
        const { seq = 0, started } = await (this.#stores[step.store] as Store).accept(delivery(), {
          ingested: ingested(item({ customer: LANES[step.lane], lane, at })),
          ...(step.begins && { begin: { ...BEGINS, processName: process, now: this.#now } }),
        })
        this.#open.set(seq, { seq, lane, at, attempts: 0, outside: false, crashed: false })
        if (!started) return
        this.#leases.set(process, this.#now + LEASE_MS)
        return this.#begun({ process, fence: started.fence, item: started.work })
      }
      case 'claim':
        return this.#claim(step.store, PROCESSES[step.process] as string, step.limit)
      case 'settle': {
        const run = this.#runs.at(-1 - step.run)
        return run && this.#settle(step.store, run, step)
      }
      case 'renew': {
        const process = PROCESSES[step.process] as string
        const renewed = await (this.#stores[step.store] as Store).renew(process, () => this.#now, LEASE_MS)
        expect(renewed).toBe(!this.#dead.has(process))
        if (renewed) this.#leases.set(process, this.#now + LEASE_MS)
        return
      }
      case 'pass':
        this.#now += step.ms
        return
      case 'reopen':
        await (this.#stores[step.store] as Store).close()
        this.#stores[step.store] = await this.#place.open()
    }
  }

  async #claim(of: number, process: string, limit: number): Promise<void> {
    const claimed = await (this.#stores[of] as Store).claimItems(claim({ processName: process, limit, now: this.#now }))
    expect(claimed.dead === true).toBe(this.#dead.has(process))
    if (claimed.dead) return
    if (!this.#leases.has(process)) this.#leases.set(process, this.#now + LEASE_MS)
    this.#takeOver(process)
    expect(claimed.begun.length).toBeLessThanOrEqual(limit)
    for (const { fence, work } of claimed.begun) this.#begun({ process, fence, item: work })
  }

  #takeOver(by: string): void {
    for (const [process, until] of this.#leases)
      if (process !== by && until <= this.#now) {
        this.#leases.delete(process)
        this.#dead.add(process)
        for (const [lane, run] of this.#running)
          if (run.process === process) {
            this.#running.delete(lane)
            this.#blocked.add(lane)
            this.#openOf(run).crashed = true
          }
      }
  }

  #begun(run: Run): void {
    const { lane } = run.fence
    expect(this.#running.has(lane), 'one at a time').toBe(false)
    const one = this.#openOf(run)
    expect(run.item.suspect, 'a suspect').toBe(one.crashed && one.attempts >= 2)
    const others = [...this.#open.values()].filter((other) => other.lane === lane && other !== one && !other.outside)
    one.outside = false
    if (one.attempts === 0) {
      expect(
        others.filter(({ attempts }) => attempts > 0 && this.#blocks(lane)),
        'a rerun goes first',
      ).toEqual([])
      for (const other of others)
        if (other.attempts === 0)
          expect(other.at > one.at || (other.at === one.at && other.seq > one.seq), 'the oldest first').toBe(true)
    }
    one.attempts++
    this.#blocked.delete(lane)
    expect(run.item.attempt).toBe(one.attempts)
    this.#running.set(lane, run)
    this.#runs.push(run)
  }

  #openOf(run: Run): Open {
    const one = this.#open.get(run.item.delivery.seq)
    if (!one) throw new Error('the item has ended')
    return one
  }

  /** A lane whose first item was attempted, and neither left it nor runs. */
  readonly #blocked = new Set<string>()

  #blocks(lane: string): boolean {
    return this.#blocked.has(lane)
  }

  async #settle(
    of: number,
    run: Run,
    { as, wait, goOn }: { readonly as: Ending; readonly wait: number; readonly goOn: boolean },
  ): Promise<void> {
    const { lane } = run.fence
    const stands = this.#running.get(lane) === run
    const settled = await (this.#stores[of] as Store).settleItem(
      run.fence,
      run.item.id,
      settlementOf(as, this.#now + wait),
      { now: this.#now, goOn },
    )
    expect(settled.stands).toBe(stands)
    if (!stands) return expect(settled.next).toBeUndefined()
    this.#running.delete(lane)
    const one = this.#openOf(run)
    one.crashed = false
    this.#blocked.delete(lane)
    if (as === 'done' || as === 'dead') {
      this.#open.delete(one.seq)
      this.#ended++
    } else if (as === 'leaves') one.outside = true
    else if (as === 'released') one.attempts--
    if (as === 'blocks') this.#blocked.add(lane)
    if (settled.next) this.#begun({ process: run.process, fence: settled.next.fence, item: settled.next.work })
  }

  /** A last process takes everything over, and everything ends. */
  async #finish(): Promise<void> {
    this.#now += 3_600_000
    for (let round = 0; this.#open.size > 0; round++) {
      expect(round, 'something is left').toBeLessThan(200)
      await this.#claim(0, 'last', 16)
      for (const run of Array.from(this.#running.values()))
        await this.#settle(0, run, { as: 'done', wait: 1, goOn: true })
    }
    expect(await this.#place.view.lanes()).toEqual([])
    expect(await itemsOf(this.#stores[0] as Store)).toHaveLength(this.#ended)
  }
}

function settlementOf(as: Ending, at: number): Settlement {
  if (as === 'dead') return { as, reason: 'x' }
  if (as === 'blocks' || as === 'leaves')
    return { as: 'retry', reason: 'x', at, blocksLane: as === 'blocks', completedHandlers: [] }
  return as === 'released' ? { as, completedHandlers: [] } : { as }
}
