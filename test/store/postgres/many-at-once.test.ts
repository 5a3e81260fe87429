import { connect, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { usedDatabase } from '../postgres-backend.ts'
import { seqOf } from '../acts.ts'
import { claim, delivery, ingested, item, named, T0 } from '../samples.ts'

const LINE_MS = 4
/** Others give up waiting before the service does. */
const WAIT_MS = 4_000
const customers = Array.from({ length: 600 }, (_, nth) => `2557120${10_000 + nth}`)

/** A line to the server on which what is sent is late. */
async function openSlowLine(to: string): Promise<string> {
  const server = new URL(to)
  const line = createServer({ noDelay: true }, (app) => {
    const database = connect({ port: Number(server.port), host: server.hostname, noDelay: true })
    const end = () => {
      app.destroy()
      database.destroy()
    }
    for (const socket of [app, database]) socket.on('error', end).on('close', end)
    app.on('data', (bytes) => setTimeout(() => database.write(bytes), LINE_MS))
    database.on('data', (bytes) => app.write(bytes))
  })
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void line.close())
  return Object.assign(new URL(to), { port: String((line.address() as { port: number }).port) }).href
}

async function openFar() {
  const database = await usedDatabase()
  const store = await openPostgres(await openSlowLine(database.url))
  onTestFinished(() => store.close())
  /** Messages of others, one after the other, until the work is done. */
  const beside = async (work: Promise<unknown>) => {
    let done = false
    const end = () => void (done = true)
    void work.then(end, end)
    let stored = 0
    while (!done) {
      const arrived = { ingested: ingested(item({ customer: '255712000999' })), waitMs: WAIT_MS }
      expect((await store.accept(delivery(), arrived)).as).toBe('stored')
      stored++
    }
    await work
    return stored
  }
  return { store, database, beside }
}

it('a delivery of very many messages is stored over a slow line, and no other delivery is refused meanwhile [R DEL-02, F-106]', async () => {
  const { store, database, beside } = await openFar()
  const seq = await seqOf(store, delivery())
  const batch = {
    ...ingested(
      ...customers.map((customer, idx) => named({ key: `upstream:${idx}`, claimant: customer }, { idx, customer })),
    ),
    windows: customers.map((customer) => ({ number: 'default', customer, lastAt: T0 })),
  }
  expect(await beside(store.ingest(seq, batch, T0))).toBeGreaterThan(1)
  expect(await database.read('SELECT count(DISTINCT idx) AS n FROM inbox WHERE identity IS NOT NULL')).toEqual([
    { n: customers.length },
  ])
})

it('timers and scheduled sends that are due at once are worked off over a slow line, and no delivery is refused meanwhile [R DEL-02, F-55, F-77]', async () => {
  const { store, database, beside } = await openFar()
  await database.read(
    `INSERT INTO timers SELECT 'default', n::text, 'window_closing', '1', $1, 0, '{}' FROM generate_series(1, 300) n`,
    [T0],
  )
  await database.read(
    `INSERT INTO sends (seq, id, key, number, customer, lane, run, followed, cause, slot, state, via, body, attempts, next_at,
       possibly_twice, diverged, reply, marketing, withheld, created_at, due_at)
     SELECT nextval('sends_seq'), n::text, n::text, 'default', n::text, 'default/' || n || '/out', 0, 0, 'app', n::text,
       'scheduled', 'freeform', '{}', 0, 0, 0, 0, 0, 0, 0, 0, $1 FROM generate_series(1, 300) n`,
    [T0],
  )
  const left = async () =>
    (
      await database.read("SELECT (SELECT count(*) FROM timers) + count(*) AS n FROM sends WHERE state = 'scheduled'")
    )[0]
  const worked = (async () => {
    for (let before = 600; before > 0; ) {
      const due = { serviceNow: T0, limit: 1 }
      const claims = [await store.claimItems(claim(due)), await store.claimSends(claim(due))]
      const now = Number((await left())?.['n'])
      expect(now, 'left').toBeLessThan(before)
      expect(claims.map(({ nextAt }) => nextAt)).toEqual([0, 0])
      before = now
    }
  })()
  expect(await beside(worked)).toBeGreaterThan(1)
  expect(await database.read("SELECT count(*) AS n FROM inbox WHERE kind = 'window_closing'")).toEqual([{ n: 300 }])
})
