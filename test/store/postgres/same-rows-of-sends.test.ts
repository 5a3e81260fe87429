import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DueSend, Fence, Held, NewSend } from '../../../src/store/types/index.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Place } from '../backend.ts'
import { openPlace } from '../postgres-backend.ts'
import { beginning, claim, delivery, ingested, item, LEASE_MS, send, T0 } from '../samples.ts'
import { placeOnDisk } from '../sqlite-backend.ts'

/** A wish of a handler, or the end of one. Customers and settlements are counted from 0. */
type Step =
  | { do: 'write'; customer: number }
  | { do: 'reply'; customers: readonly number[]; as: keyof typeof REPLIES; room: number; closes: boolean }
  | { do: 'handled'; customer: number }
  | { do: 'claim'; room: number }
  | { do: 'begin'; at: number }
  | { do: 'accepted'; sends: readonly number[]; goOn: boolean; room: number }
  | { do: 'fails'; at: number; as: 'ready' | 'attempting' | 'refused' | 'fall_back'; wait: number; goOn: boolean }
  | { do: 'throttle'; at: number; closes: boolean }
  | { do: 'status'; messages: readonly number[]; names: 'message' | 'upstream' | 'both'; tells: boolean }
  | { do: 'mute'; customer: number }
  | { do: 'cancel'; at: number }
  | { do: 'renew' }
  | { do: 'pass'; ms: number }

const REPLIES = {
  plain: {},
  reply: { unlessMutedAt: T0 + 1 },
  later: { dueAt: T0 + 30_000 },
  window: { needsInboundSince: T0 + 5_000, awaitedUntil: T0 + 60_000 },
  fallback: { ref: '7', trace: '00-1-1-01', expiresAt: T0 + 90_000, asked: 'x', delivery: 'd' },
} as const satisfies Record<string, Partial<NewSend>>

const customer = fc.nat(3)
const at = fc.nat(5)
const room = fc.nat(3)
const several = fc.uniqueArray(customer, { minLength: 1 })

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write'), customer }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('reply'),
      customers: several,
      as: fc.constantFrom(...(Object.keys(REPLIES) as (keyof typeof REPLIES)[])),
      room,
      closes: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('handled'), customer }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim'), room }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('begin'), at }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('accepted'),
      sends: fc.uniqueArray(at, { minLength: 1 }),
      goOn: fc.boolean(),
      room,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fails'),
      at,
      as: fc.constantFrom('ready', 'attempting', 'refused', 'fall_back'),
      wait: fc.nat(20_000),
      goOn: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('throttle'), at, closes: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('status'),
      messages: fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 4 }),
      names: fc.constantFrom('message', 'upstream', 'both'),
      tells: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('mute'), customer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel'), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('renew') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.nat(LEASE_MS + 2_000) }) },
)

/** A claim is made at the moment when the lease of the claimer's own lane is over. */
const OWN_LEASE_OVER: Step[] = [
  { do: 'write', customer: 0 },
  { do: 'reply', customers: [0], as: 'plain', room: 0, closes: false },
  { do: 'claim', room: 1 },
  { do: 'pass', ms: LEASE_MS - 10 },
  { do: 'claim', room: 0 },
]

/** A send joins the lane of one that is under way. */
const JOINS: Step[] = [
  { do: 'write', customer: 0 },
  { do: 'reply', customers: [0], as: 'plain', room: 1, closes: false },
  { do: 'reply', customers: [0], as: 'plain', room: 0, closes: false },
]

/** The one before it is accepted, and its lane is released. */
const RELEASED: Step[] = [...JOINS, { do: 'accepted', sends: [0], goOn: false, room: 0 }]

it('sends leave the same rows and have the same answers as in SQLite, where one operation runs after another, in every history [B IDEM-06, F-74, F-77]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (history) => {
      const places = [placeOnDisk(), await openPlace()] as const
      try {
        const [alone, beside] = await Promise.all(places.map(async (place) => new Player(place, await place.open())))
        for (const each of prepared(history)) {
          const answers = [await alone?.play(each), await beside?.play(each)]
          expect(answers[1], JSON.stringify(each)).toEqual(answers[0])
        }
        expect(await beside?.rows()).toEqual(await alone?.rows())
      } finally {
        await Promise.all(places.map((place) => place.remove()))
      }
    }),
    { numRuns: 25, examples: [[OWN_LEASE_OVER], [JOINS], [RELEASED]] },
  )
})

/** A step with what both stores are given in it: samples are like no others. */
type Prepared = Exclude<Step, { do: 'reply' | 'write' | 'status' }> | Reply | Written | Status
type Reply = Extract<Step, { do: 'reply' }> & { readonly sends: readonly NewSend[] }
type Written = Extract<Step, { do: 'write' }> & { readonly given: ReturnType<typeof delivery> }
type Status = Extract<Step, { do: 'status' }> & { readonly given: readonly ReturnType<typeof delivery>[] }

function prepared(history: readonly Step[]): Prepared[] {
  return history.map((step): Prepared => {
    if (step.do === 'write') return { ...step, given: delivery() }
    if (step.do === 'status') return { ...step, given: step.messages.map(() => delivery()) }
    if (step.do !== 'reply') return step
    return { ...step, sends: step.customers.map((each) => sendTo(each, step.as)) }
  })
}

function sendTo(customer: number, as: keyof typeof REPLIES): NewSend {
  const one = send({ customer: nameOf(customer), cause: 'x', ...REPLIES[as] })
  return as === 'fallback' ? { ...one, fallback: { key: `${one.key}_f`, body: '{}' } } : one
}

const nameOf = (customer: number) => `25571200010${customer}`

/** Plays a history over one store. */
class Player {
  readonly #place: Place
  readonly #store: Store
  readonly #handling = new Map<number, Held<{ id: number }>>()
  readonly #held: { fence: Fence; due: DueSend }[] = []
  #messages = 0
  #now = T0

  constructor(place: Place, store: Store) {
    this.#place = place
    this.#store = store
  }

  async play(step: Prepared): Promise<unknown> {
    // No two lanes are ready since the same time, since their order is nobody's promise then.
    this.#now += 10
    return shown(await this.#take(step))
  }

  /** All rows but what differs between any two databases: tokens, and who made it. */
  async rows(): Promise<unknown> {
    const tables = (await this.#place.view.snapshot()) as { name: string; rows: Record<string, unknown>[] }[]
    const compared = tables.filter(({ name }) =>
      ['sends', 'lanes', 'throttles', 'statuses', 'stray_statuses', 'items'].includes(name),
    )
    return Object.fromEntries(
      compared.map(({ name, rows }) => [name, rows.map((row) => JSON.stringify(sorted(shown(row) as object))).sort()]),
    )
  }

  async #take(step: Prepared): Promise<unknown> {
    const store = this.#store
    switch (step.do) {
      case 'write':
        return this.#write(step)
      case 'reply':
        return this.#reply(step)
      case 'handled': {
        const handling = this.#handling.get(step.customer)
        if (!handling) return undefined
        return store.settleItem(handling.fence, handling.work.id, { as: 'done' }, { now: this.#now, goOn: false })
      }
      case 'claim': {
        const holding = this.#held.map(({ fence }) => fence.lane)
        const claimed = await store.claimSends(claim({ now: this.#now, limit: 3, room: roomFor(step.room), holding }))
        for (const { fence, work } of claimed.held) this.#held.push({ fence, due: work })
        return claimed
      }
      case 'begin': {
        const held = this.#held[step.at]
        if (!held || held.due.send.state === 'attempting') return undefined
        const begun = await store.beginSend(held.fence, held.due.send.id, 'freeform', this.#now, held.due.send.body)
        held.due = { ...held.due, send: { ...held.due.send, state: 'attempting' } }
        return begun
      }
      case 'accepted':
        return this.#accepted(step)
      case 'fails':
      case 'throttle':
        return this.#fails(step)
      case 'status':
        return this.#tell(step)
      case 'mute':
        return store.mute({
          number: 'default',
          customer: nameOf(step.customer),
          why: 'agent',
          since: T0,
          until: this.#now + 20_000,
        })
      case 'cancel':
        return store.cancelSend(this.#held[step.at]?.due.send.key ?? '', this.#now)
      case 'renew':
        return store.renew(
          this.#held.map(({ fence }) => fence),
          () => this.#now,
          LEASE_MS,
        )
      case 'pass':
        this.#now += step.ms
    }
    return undefined
  }

  async #write({ customer, given }: Written): Promise<unknown> {
    const one = item({
      customer: nameOf(customer),
      at: this.#now,
      cause: { identity: undefined, signed: String(given.deliveryId) },
    })
    const windows = [{ number: 'default', customer: nameOf(customer), lastAt: this.#now }]
    const begin = { owner: 'one', now: this.#now, leaseMs: LEASE_MS, room: roomFor(1) }
    const accepted = await this.#store.accept(given, { ingested: { ...ingested(one), windows }, begin })
    if (accepted.started) this.#handling.set(customer, accepted.started)
    return accepted
  }

  /** Statuses that come at once: of sends that are known or not, and one that a handler hears of. */
  async #tell({ messages, names, tells, given }: Status): Promise<unknown> {
    const told = tells ? messages.slice(0, 1) : messages
    const accepted = await Promise.all(
      told.map((message, index) => {
        const status = {
          number: 'default',
          messageId: names === 'upstream' ? undefined : `m${message}`,
          upstreamId: names === 'message' ? undefined : `u${message}`,
          status: 'delivered',
          at: this.#now,
          reason: undefined,
        }
        const one = item({
          kind: 'status',
          customer: nameOf(0),
          lane: `default/${nameOf(0)}/status`,
          at: this.#now,
          cause: { identity: undefined, signed: String(given[index]?.deliveryId) },
        })
        const read = tells ? ingested(one) : ingested()
        return this.#store.accept(given[index] as (typeof given)[number], { ingested: { ...read, statuses: [status] } })
      }),
    )
    // Some are written beside others, and some alone: those of one moment have their numbers in any order.
    return accepted.map((answer) => ({ ...answer, seq: undefined }))
  }

  async #reply({ customers, sends, room, closes }: Reply): Promise<unknown> {
    const shared = roomFor(room)
    const via = closes ? () => undefined : undefined
    const opened = await Promise.all(
      sends.map((send, index) => {
        const fence = this.#handling.get(customers[index] as number)?.fence
        const begin = beginning({ now: this.#now, room: shared, ...(via && { via }) })
        const asked = { ...send, createdAt: this.#now + index }
        return fence ? this.#store.openSend(asked, { fence, begin }) : Promise.resolve(undefined)
      }),
    )
    for (const one of opened) if (one?.begun) this.#held.push({ fence: one.begun.fence, due: one.begun.work })
    return opened
  }

  async #accepted({ sends, goOn, room }: Extract<Step, { do: 'accepted' }>): Promise<unknown> {
    const shared = roomFor(room)
    const settling = sends.flatMap((at) => this.#held[at] ?? [])
    for (const one of settling) this.#held.splice(this.#held.indexOf(one), 1)
    const settled = await Promise.all(
      settling.map(({ fence, due }, index) => {
        const message = this.#messages++
        // The service may name a message before the upstream platform does.
        const upstreamId = message % 2 ? `u${message}` : undefined
        const settlement = { as: 'accepted', messageId: `m${message}`, possiblyTwice: false } as const
        return this.#store.settleSend(
          fence,
          due.send.id,
          { ...settlement, upstreamId, at: this.#now },
          { now: this.#now + index, goOn, room: shared },
        )
      }),
    )
    settled.forEach(({ next }, index) => {
      const held = settling[index]
      if (next && held) this.#held.push({ fence: held.fence, due: next })
    })
    return settled
  }

  async #fails(step: Extract<Step, { do: 'fails' | 'throttle' }>): Promise<unknown> {
    const [held] = this.#held.splice(step.at, 1)
    if (!held) return undefined
    const { fence, due } = held
    const wait = step.do === 'fails' ? step.wait : 10_000
    const why = { code: 'x', reason: 'x' }
    const closed = { stopped: false, closedUntil: this.#now + wait, inARow: 1, ...why }
    const settlement =
      step.do === 'fails' && step.as === 'fall_back'
        ? ({ as: 'fall_back' } as const)
        : step.do === 'fails' && step.as === 'refused'
          ? ({ as: 'refused', ...why } as const)
          : ({
              as: step.do === 'fails' && step.as === 'ready' ? 'ready' : 'attempting',
              at: this.#now + wait,
              ...why,
            } as const)
    const next = { now: this.#now, goOn: step.do === 'fails' && step.goOn }
    const move =
      step.do === 'throttle' ? { number: 'default', move: step.closes ? closed : ('resumed' as const) } : undefined
    const settled = await this.#store.settleSend(fence, due.send.id, settlement, next, move)
    if (settled.next) this.#held.push({ fence, due: settled.next })
    return settled
  }
}

function roomFor(free: number) {
  let left = free
  return {
    take: () => left > 0 && left-- > 0,
    give() {
      left++
    },
  }
}

/** Tokens rise within the process, so that no two stores give the same. */
function shown(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (key, each: unknown) => (key === 'token' && each !== null ? 'token' : each)),
  )
}

function sorted(row: object): object {
  return Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))
}
