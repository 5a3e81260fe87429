import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Claim } from '../../../src/store/types/index.ts'
import type { Store } from '../../../src/store/store.ts'
import { histories as runs } from '../../support/runs.ts'
import type { Backend, Place } from '../backend.ts'
import { arrive, claim, item, LEASE_MS, send, T0 } from '../samples.ts'

/** Times are counted in looks of a process: one look renews, claims, and has each attempt fail. */
type Step =
  | { do: 'arrive'; customer: number; as: 'item' | 'send' }
  /** Looks with room for work, or with every lane taken. */
  | { do: 'look'; times: number; full: boolean }
  /** The wall clock is stepped, and true time goes on. */
  | { do: 'clock'; by: number }
  | { do: 'restart' }

interface History {
  /** Milliseconds between two looks; waits and steps of the clock are multiples. */
  readonly everyMs: number
  /** How long each attempt that fails has its item or send wait, in looks. */
  readonly waits: readonly number[]
  readonly blocks: boolean
  readonly steps: readonly Step[]
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('arrive'), customer: fc.nat(2), as: fc.constantFrom('item', 'send') }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('look'), times: fc.nat(12), full: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('clock'), by: fc.integer({ min: -300, max: 300 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart') }) },
)

const histories: fc.Arbitrary<History> = fc.record({
  everyMs: fc.constantFrom(1_000, 60_000, 600_000),
  waits: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
  blocks: fc.boolean(),
  steps: fc.array(steps, { minLength: 5, maxLength: 30, size: 'max' }),
})

/** The wall clock is stepped to and fro, while lanes are free and while all are taken. */
export function clockSteps(backend: Backend): void {
  it('have nothing wait longer than its back-off, whatever the clock does [F-61, F-100]', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const place = await backend.place()
        try {
          await new Machine(place, await place.open(), history).play()
        } finally {
          await place.remove()
        }
      }),
      { numRuns: runs(backend.name) },
    )
  })
}

class Machine {
  readonly #place: Place
  readonly #history: History
  #store: Store
  /** True time in looks, and how far the wall clock is from it. */
  #looks = 0
  #off = 0
  #failures = 0
  #stepsBack = 0
  /** For each item and send, when it has to be begun: true time, and the steps back that were known then. */
  readonly #due = new Map<string, { at: number; stepsBack: number }>()

  constructor(place: Place, store: Store, history: History) {
    this.#place = place
    this.#store = store
    this.#history = history
  }

  async play(): Promise<void> {
    for (const step of this.#history.steps) await this.#take(step)
    for (let looks = 0; looks < 40 + this.#stepsBack; looks++) await this.#look(false)
  }

  async #take(step: Step): Promise<void> {
    switch (step.do) {
      case 'arrive':
        return this.#arrive(`25571200010${step.customer}`, step.as)
      case 'look':
        for (let looks = 0; looks < step.times; looks++) await this.#look(step.full)
        return
      case 'clock':
        this.#off += step.by
        if (step.by < 0) this.#stepsBack++
        return
      case 'restart':
        await this.#store.close()
        this.#store = await this.#place.open()
    }
  }

  async #arrive(customer: string, as: 'item' | 'send'): Promise<void> {
    if (as === 'send') await this.#store.openSend(send({ customer, createdAt: this.#now }))
    else await arrive(this.#store, [item({ customer, at: this.#now })], this.#now)
  }

  async #look(full: boolean): Promise<void> {
    this.#looks++
    await this.#store.renew('one', () => this.#now, LEASE_MS)
    const asked = claim({ now: this.#now, limit: full ? 0 : 16 })
    // Each claim begins one item of a lane, and several may be due.
    for (let held = await this.#items(asked); held.length > 0; held = await this.#items(asked))
      for (const { fence, work } of held) {
        const at = this.#fail(`item ${work.id}`)
        const retry = { as: 'retry', reason: 'x', at, blocksLane: this.#history.blocks, completedHandlers: [] } as const
        await this.#store.settleItem(fence, work.id, retry, { now: this.#now, goOn: false })
      }
    const sends = await this.#store.claimSends(asked)
    for (const { fence, work } of sends.held) {
      const ready = { as: 'ready', at: this.#fail(`send ${work.send.id}`), code: undefined, reason: 'x' } as const
      await this.#store.beginSend(fence, work.send.id, 'freeform', this.#now)
      await this.#store.settleSend(fence, work.send.id, ready, { now: this.#now, goOn: false })
    }
    this.#noneIsLate(full)
  }

  async #items(asked: Claim) {
    return (await this.#store.claimItems(asked)).held
  }

  /** An attempt fails; the answer is the wall time of the next one. */
  #fail(what: string): number {
    const { waits, everyMs } = this.#history
    const wait = waits[this.#failures++ % waits.length] ?? 1
    this.#due.set(what, { at: this.#looks + wait, stepsBack: this.#stepsBack })
    return this.#now + wait * everyMs
  }

  /** Each look that finds the clock behind may have missed what passed since the look before it. */
  #noneIsLate(full: boolean): void {
    for (const [what, due] of this.#due) {
      if (full) due.at = Math.max(due.at, this.#looks)
      else expect(this.#looks - due.at, what).toBeLessThanOrEqual(1 + this.#stepsBack - due.stepsBack)
    }
  }

  get #now(): number {
    return T0 + (this.#looks + this.#off) * this.#history.everyMs
  }
}
