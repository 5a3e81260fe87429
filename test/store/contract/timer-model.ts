import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import type { Backend, Place } from '../backend.ts'
import { arrive, begin } from '../acts.ts'
import { claim, item, LEASE_MS, T0 } from '../samples.ts'
import { playHistories, store } from './histories.ts'
import type { StartedItem } from '../../../src/store/work/items.ts'
import type { Settlement } from '../../../src/store/work/settle.ts'

const HOUR = 3_600_000
const BEFORE = HOUR

type Leaves = 'as it was' | 'waits' | 'waits for ever' | 'ended'

type Step =
  /** A customer writes; its handlers leave the conversation like this, with a timer in so many hours. */
  | { do: 'message'; store: number; customer: number; ago: number; leaves: Leaves; hours: number }
  | { do: 'claim'; store: number; crashes: boolean }
  | { do: 'pass'; hours: number }
  /** The wall clock is stepped: timers do not follow it. */
  | { do: 'clock'; hours: number }
  | { do: 'end' | 'forget'; store: number; customer: number }
  | { do: 'reopen'; store: number }

const customer = fc.nat(1)
const hours = fc.nat(12)

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('message'),
      store,
      customer,
      ago: fc.nat(3),
      leaves: fc.constantFrom<Leaves>('as it was', 'waits', 'waits', 'waits for ever', 'ended'),
      hours,
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('claim'), store, crashes: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pass'), hours }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('clock'), hours: fc.integer({ min: -30, max: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('end', 'forget'), store, customer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen'), store }) },
)

/** Plays random histories in two stores in one place beside a table of what is to come due, and when. */
export function timerModel(backend: Backend): void {
  it('have each timer come due once, at its time, unless it was taken back, in every history [F-55]', async () => {
    await playHistories(backend, steps, (place, stores, history) => new Model(place, stores).play(history))
  })
}

class Model {
  readonly #place: Place
  readonly #stores: Store[]
  /** The armed timers, by customer and kind: the service time at which each is due, and its content. */
  readonly #armed = new Map<string, { readonly dueAt: number; readonly says: object }>()
  readonly #lastAt = new Map<string, number>()
  readonly #open = new Set<string>()
  #service = T0
  #now = T0
  #made = 0
  #processes = 0

  constructor(place: Place, stores: Store[]) {
    this.#place = place
    this.#stores = stores
  }

  async play(history: readonly Step[]): Promise<void> {
    for (const step of history) await this.#take(step)
    this.#service += 100 * HOUR
    await this.#claim(this.#store(0), false)
    expect([...this.#armed]).toEqual([])
  }

  async #take(step: Step): Promise<void> {
    switch (step.do) {
      case 'message':
        return this.#message(this.#store(step.store), step)
      case 'claim':
        return this.#claim(this.#store(step.store), step.crashes)
      case 'pass':
        this.#service += step.hours * HOUR
        this.#now += step.hours * HOUR
        return
      case 'clock': {
        this.#now += step.hours * HOUR
        await this.#store(0).renew('one', () => this.#now, LEASE_MS)
        return
      }
      case 'end': {
        const who = nameOf(step.customer)
        expect(await this.#store(step.store).endConversation(`c_${who}`, this.#now)).toBe(this.#open.delete(who))
        this.#armed.delete(`${who} conversation_due`)
        return
      }
      case 'forget': {
        const who = nameOf(step.customer)
        await this.#store(step.store).forget({ number: 'default', customer: who }, this.#now)
        for (const kind of ['conversation_due', 'window_closing']) this.#armed.delete(`${who} ${kind}`)
        this.#open.delete(who)
        this.#lastAt.delete(who)
        return
      }
      case 'reopen':
        await this.#store(step.store).close()
        this.#stores[step.store] = await this.#place.open()
    }
  }

  async #message(
    of: Store,
    { customer: nth, ago, leaves, hours: span }: Extract<Step, { do: 'message' }>,
  ): Promise<void> {
    // Due timers go first, so that a claim begins the message alone.
    await this.#claim(of, false)
    const who = nameOf(nth)
    const lastAt = this.#service - ago * HOUR
    const closesAt = lastAt + 24 * HOUR - BEFORE
    const window = { number: 'default', customer: who, lastAt, closing: [{ before: BEFORE, dueAt: closesAt }] }
    await arrive(of, [item({ customer: who, at: lastAt })], this.#now, [window])
    if (lastAt > (this.#lastAt.get(who) ?? 0)) {
      this.#lastAt.set(who, lastAt)
      this.#armed.set(`${who} window_closing`, { dueAt: closesAt, says: { before: BEFORE, lastAt, dueAt: closesAt } })
    }
    const { fence, item: begun } = await begin(of, {
      processName: `begins ${++this.#processes}`,
      now: this.#now,
      serviceNow: T0,
    })
    const settlement = this.#settlement(who, leaves, this.#service + span * HOUR)
    await of.settleItem(fence, begun.id, settlement, { now: this.#now, goOn: false })
  }

  #settlement(who: string, leaves: Leaves, dueAt: number): Settlement {
    if (leaves === 'as it was') return { as: 'done' }
    const id = `c_${who}`
    const timer = `${who} conversation_due`
    this.#armed.delete(timer)
    if (leaves === 'ended') {
      this.#open.delete(who)
      return { as: 'done', changes: { conversations: [{ id, next: { ended: 'finished' } }] } }
    }
    const step = ++this.#made
    const isTimed = leaves === 'waits'
    const waits = { step, for: 'answer', since: this.#service, dueAt: isTimed ? dueAt : undefined } as const
    if (isTimed) this.#armed.set(timer, { dueAt, says: { conversation: id, step, dueAt } })
    const opens = this.#open.has(who)
      ? undefined
      : { id, number: 'default', customer: who, name: 'any', version: 1, input: undefined }
    this.#open.add(who)
    return { as: 'done', changes: { conversations: [{ id, opens, next: { waits } }] } }
  }

  /** Begins all that is due by now. A process that crashes leaves it to the next one, which begins it again. */
  async #claim(of: Store, crashes: boolean): Promise<void> {
    if (crashes) {
      await of.claimItems(
        claim({ processName: `crashed ${++this.#processes}`, now: this.#now, serviceNow: this.#service }),
      )
      this.#now += LEASE_MS
      this.#service += LEASE_MS
    }
    this.#processes++
    const fired: [string, object][] = []
    for (;;) {
      const { begun } = await of.claimItems(
        claim({ processName: `lives ${this.#processes}`, now: this.#now, serviceNow: this.#service }),
      )
      if (begun.length === 0) break
      for (const { fence, work } of begun) {
        fired.push([`${work.customer} ${work.kind}`, saidBy(work)])
        await of.settleItem(fence, work.id, { as: 'done' }, { now: this.#now, goOn: false })
      }
    }
    const due = [...this.#armed].filter(([, { dueAt }]) => dueAt <= this.#service)
    expect(fired.toSorted(byName)).toEqual(due.map(([name, { says }]) => [name, says] as const).toSorted(byName))
    for (const [name] of due) this.#armed.delete(name)
  }

  #store(index: number): Store {
    return this.#stores[index] as Store
  }
}

function nameOf(nth: number): string {
  return `25571200010${nth}`
}

function saidBy({ delivery }: StartedItem): object {
  return JSON.parse(Buffer.from(delivery.body).toString()) as object
}

function byName([one]: readonly [string, object], [other]: readonly [string, object]): number {
  return one < other ? -1 : 1
}
