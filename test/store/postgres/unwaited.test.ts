import { describe, expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import type { StartedItem } from '../../../src/store/work/items.ts'
import type { Begun } from '../../../src/store/work/lanes.ts'
import { usedDatabase } from '../postgres-backend.ts'
import { ASHA, BEGINS, claim, DONE, delivery, ingested, item, JUMA, LEASE_MS, named, NEEMA, T0 } from '../samples.ts'
import { openHeld } from './held.ts'

const GO_ON = { now: T0, goOn: true }
const message = (customer: string, key?: string) => ({
  ingested: {
    ...ingested(key === undefined ? item({ customer }) : named({ key, claimant: customer }, { customer })),
    windows: [{ number: 'default', customer, lastAt: T0 }],
  },
  begin: BEGINS,
  waitMs: 60_000,
})

/** Two stores over one database, which have found all deliveries to be new so far. */
async function openTwo() {
  const database = await usedDatabase()
  const one = await openHeld(database.url)
  const other = await openHeld(database.url)
  for (const { store } of [one, other])
    for (let nth = 0; nth < 20; nth++) await store.accept(delivery(), message(`25571200${nth}`))
  for (const customer of [ASHA, JUMA, NEEMA]) {
    const { started } = await other.store.accept(delivery(), message(customer))
    await other.store.settleItem(started!.fence, started!.work.id, DONE, GO_ON)
  }
  return { ...database, one, other }
}

describe('a group whose answers are not waited for', () => {
  it('is repeated if a delivery or a message in it was known after all, and stores the others once [R DEL-01, R DEL-03]', async () => {
    const { one, other, read } = await openTwo()
    const known = delivery()
    await other.store.accept(known, message(ASHA, 'upstream:1'))
    const [again, same, fresh] = await Promise.all([
      one.store.accept(known, message(ASHA, 'upstream:1')),
      one.store.accept(delivery(), message(JUMA, 'upstream:1')),
      one.store.accept(delivery(), message(NEEMA)),
    ])
    expect(again.as).toBe('duplicate')
    expect(same.ingested).toEqual([{ idx: 0, identity: 'reused' }])
    expect(fresh.started?.work.customer).toBe(NEEMA)
    expect(one.faults[0]).toBe('23505')
    const rows = await read(
      `SELECT customer, count(*)::int AS n FROM inbox WHERE customer = '${NEEMA}' GROUP BY customer`,
    )
    expect(rows).toEqual([{ customer: NEEMA, n: 2 }])
    // Alone too.
    expect((await one.store.accept(known, message(ASHA, 'upstream:1'))).as).toBe('duplicate')
  })

  it('is repeated too over a connection that sends ahead [R DEL-01]', async () => {
    const { other, url } = await openTwo()
    const store = await openPostgres(url)
    onTestFinished(() => store.close())
    for (let nth = 0; nth < 20; nth++) await store.accept(delivery(), message(ASHA))
    const known = delivery()
    await other.store.accept(known, message(JUMA))
    const stored = await Promise.all([known, delivery(), known].map((one) => store.accept(one, message(NEEMA))))
    expect(stored.map(({ as }) => as)).toEqual(['duplicate', 'stored', 'duplicate'])
  })

  it('reads its lanes once it has their customers: a message enters behind, and a settlement begins the next [R DEL-03]', async () => {
    const { one, other } = await openTwo()
    const stops = other.hold(/ FOR NO KEY UPDATE/)
    const behind = other.store.accept(delivery(), message(ASHA))
    await stops.came
    const { started } = await one.store.accept(delivery(), message(ASHA))
    stops.release()
    expect((await behind).started).toBeUndefined()
    const [fence, first] = [started!.fence, started!.work.id]
    const { next } = await one.store.settleItem(fence, first, DONE, GO_ON)
    expect(next?.work.delivery.seq).toBe((await behind).seq)
    const ends = one.hold(/ FOR NO KEY UPDATE/)
    const settled = one.store.settleItem(next!.fence, next!.work.id, DONE, GO_ON)
    await ends.came
    const third = await other.store.accept(delivery(), message(ASHA))
    ends.release()
    expect((await settled).next?.work.delivery.seq).toBe(third.seq)
    expect([...one.faults, ...other.faults]).toEqual([])
  })

  it('uses what it knows of a lane and a customer once: what follows in the group asks again [R DEL-03]', async () => {
    const { one } = await openTwo()
    const [first, second] = await Promise.all([
      one.store.accept(delivery(), message(ASHA)),
      one.store.accept(delivery(), message(ASHA)),
    ])
    expect([first.started !== undefined, second.started !== undefined]).toEqual([true, false])
    const ending = one.store.settleItem(first.started!.fence, first.started!.work.id, DONE, GO_ON)
    const third = one.store.accept(delivery(), message(ASHA))
    expect((await ending).next?.work.delivery.seq).toBe(second.seq)
    expect((await third).started).toBeUndefined()
    expect(one.faults).toEqual([])
  })

  it('ends nothing for a process whose item was freed, and given to another one [F-55]', async () => {
    const { one, other } = await openTwo()
    const { started } = await one.store.accept(delivery(), message(ASHA))
    const [fence, id] = [started!.fence, started!.work.id]
    const later = T0 + LEASE_MS
    // A claim that takes long on a busy machine begins some.
    const claimed = async () =>
      (await other.store.claimItems(claim({ processName: 'two', now: later, limit: 9 }))).begun
    let mine: Begun<StartedItem> | undefined
    while (!mine) mine = (await claimed()).find(({ work }) => work.id === id)
    expect(mine.work.attempt).toBe(2)
    expect((await one.store.settleItem(fence, id, DONE, { now: later, goOn: true })).stands).toBe(false)
    expect((await other.store.settleItem(mine.fence, id, DONE, { now: later, goOn: true })).stands).toBe(true)
  })
})
