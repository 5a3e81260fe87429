import { expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import type { DueSend, Fence, Held, NewSend } from '../../../src/store/types/types.ts'
import type { Store } from '../../../src/store/store.ts'
import { makeDatabase } from '../postgres-backend.ts'
import { arrive, beginning, claim, item, LEASE_MS, send, T0 } from '../samples.ts'

const CUSTOMERS = Array.from({ length: 12 }, (_, index) => `2557120001${10 + index}`)
const REPLIES = 15

/** All customers' phones: they keep what arrived, and who works on a lane. */
class Phone {
  readonly arrived = new Map<string, string[]>()
  readonly #under = new Set<string>()
  readonly faults: string[] = []

  begin(lane: string): void {
    if (this.#under.has(lane)) this.faults.push(`two work on ${lane}`)
    this.#under.add(lane)
  }

  end(lane: string, { customer, id }: { customer: string; id: string }): void {
    this.#under.delete(lane)
    this.arrived.set(customer, [...(this.arrived.get(customer) ?? []), id])
  }

  get count(): number {
    return [...this.arrived.values()].reduce((sum, { length }) => sum + length, 0)
  }
}

it('replies of many handlers go out once and in order, whichever process sends them, and none is left behind [F-74, F-77, R DEL-03]', async () => {
  const { url, read } = await makeDatabase()
  const stores = await Promise.all([openPostgres(url), openPostgres(url), openPostgres(url)])
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
  const phone = new Phone()
  const total = CUSTOMERS.length * REPLIES

  /** Sends what a lane has, as the worker of that process does: no time passes, so no lease ends. */
  async function work(store: Store, first: Held<DueSend>): Promise<void> {
    phone.begin(first.fence.lane)
    for (let held: Held<DueSend> | undefined = first; held; ) {
      const { fence, work: due } = held
      const { id, via } = due.send
      if (!due.begun) expect(await store.beginSend(fence, id, via, T0)).toBe('begun')
      phone.end(fence.lane, due.send)
      const taken = {
        as: 'accepted',
        messageId: `m-${id}`,
        upstreamId: undefined,
        possiblyTwice: false,
        at: T0,
      } as const
      const settled: Awaited<ReturnType<Store['settleSend']>> = await store.settleSend(fence, id, taken, {
        now: T0,
        // Every third lane is released, so that others take it.
        goOn: phone.count % 3 > 0,
      })
      expect(settled.held).toBe(true)
      held = settled.next
      if (held) phone.begin(held.fence.lane)
    }
  }

  /** Looks for what nobody sends, until all has gone out. */
  async function look(store: Store, owner: string): Promise<void> {
    while (phone.count < total) {
      const { held } = await store.claimSends(claim({ owner, limit: 4 }))
      await Promise.all(held.map((each) => work(store, each)))
      await store.renew(owner, () => T0, LEASE_MS)
    }
  }

  /** Takes a customer's lane; a claim passes those by that another one is about to take. */
  async function take(store: Store, owner: string): Promise<Fence> {
    for (;;) {
      const { held } = await store.claimItems(claim({ owner, limit: 1 }))
      if (held[0]) return held[0].fence
    }
  }

  /** A handler that asks for its replies at once. */
  async function handle(store: Store, owner: string, customer: string): Promise<NewSend[]> {
    await arrive(store, [item({ customer })])
    const fence = await take(store, owner)
    const to = fence.lane.slice('default/'.length)
    const sends = Array.from({ length: REPLIES }, () => send({ customer: to, cause: fence.lane }))
    const working: Promise<void>[] = []
    for (const one of sends) {
      const opened = await store.openSend(one, { fence, begin: beginning({ owner }) })
      if (opened?.begun) working.push(work(store, opened.begun))
    }
    await Promise.all(working)
    return sends
  }

  const looking = stores.map((store, index) => look(store, `looks ${index}`))
  const asked = await Promise.all(
    CUSTOMERS.map((customer, index) => handle(stores[index % 3] as Store, `handles ${index}`, customer)),
  )
  await Promise.all(looking)
  expect(phone.faults).toEqual([])
  for (const sends of asked) expect(phone.arrived.get(sends[0]?.customer ?? '')).toEqual(sends.map(({ id }) => id))
  expect(await read('SELECT lane FROM sends WHERE place < 2')).toEqual([])
  expect(await read('SELECT state, count(*) AS sends FROM sends GROUP BY state')).toEqual([
    { state: 'accepted', sends: total },
  ])
  expect(await read('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')).toEqual([
    { deadlocks: 0 },
  ])
})
