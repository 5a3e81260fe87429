import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPostgres, openServerClock } from '../../../src/store/postgres/postgres-store.ts'
import type { PostgresPool } from '../../../src/store/postgres/pool.ts'
import { makeDatabase } from '../postgres-backend.ts'
import { arrive, begin, item, LEASE_MS } from '../samples.ts'

const HOUR = 3_600_000

/** Server, machine and monotonic clock, each with its own time; true time passes for all of them. */
async function clocks({ machineOff = 0, there = 0, back = 0 } = {}) {
  const at = { true: 1_700_000_000_000, serverOff: 0, machineOff, there, back, answers: true }
  const said: string[] = []
  const pool: PostgresPool = {
    connect: async () => ({
      async query() {
        if (!at.answers) throw new Error('gone')
        at.true += at.there
        const time = at.true + at.serverOff
        at.true += at.back
        return { rows: [{ time }], rowCount: 1 }
      },
      on: () => {},
      removeListener: () => {},
      release: () => {},
    }),
  }
  const clock = await openServerClock({
    pool,
    monotonic: () => at.true - 1_600_000_000_000,
    machine: () => at.true + at.machineOff,
    say: (line) => said.push(line),
  })
  return { at, said, clock, error: () => clock.now() - (at.true + at.serverOff) }
}

describe('the clock of the server', () => {
  it('continues while nobody reads it, whatever is done to the clock of the machine [F-61]', async () => {
    const { at, error } = await clocks()
    for (const off of [2 * HOUR, -2 * HOUR]) {
      at.machineOff = off
      at.true += 60_000
      expect(error()).toBe(0)
    }
  })

  it('is known no worse than the answer took, and never moves for an answer that fits [F-61]', async () => {
    const ms = fc.nat(5_000)
    await fc.assert(
      fc.asyncProperty(ms, ms, fc.array(fc.tuple(ms, ms), { minLength: 1 }), async (there, back, looks) => {
        const { at, clock, error } = await clocks({ there, back })
        let known = Math.abs(error())
        expect(known).toBeLessThanOrEqual((there + back) / 2 + 1)
        for (const [to, fro] of looks) {
          Object.assign(at, { there: to, back: fro })
          await clock.look()
          expect(Math.abs(error())).toBeLessThanOrEqual(Math.min(known, Math.max(to, fro)) + 1)
          known = Math.abs(error())
        }
      }),
    )
  })

  it('is followed where it goes, as that of another server after a failover', async () => {
    const { at, clock, error } = await clocks()
    at.serverOff = -40_000
    await clock.look()
    expect(error()).toBe(0)
  })

  it('continues from its last known time while the server does not answer', async () => {
    const { at, clock, error } = await clocks()
    at.answers = false
    at.true += HOUR
    await clock.look()
    expect(error()).toBe(0)
  })

  it('is compared with that of the machine, which is reported once it is more than two seconds off, and again when that changes', async () => {
    const { at, clock, said } = await clocks({ machineOff: 2_000 })
    const look = async (off: number) => {
      at.machineOff = off
      await clock.look()
      return said.splice(0)
    }
    expect(said).toEqual([])
    expect(await look(2_001)).toEqual([expect.stringContaining('2 s ahead of that of the database')])
    expect(await look(4_000)).toEqual([])
    expect(await look(-5_000)).toEqual([expect.stringContaining('5 s behind that of the database')])
    expect(await look(-5_000)).toEqual([])
    expect(await look(0)).toEqual([])
    expect(await look(-5_000)).toHaveLength(1)
  })

  it('tells nothing of the machine by an answer that came late', async () => {
    const { said } = await clocks({ machineOff: 0, there: 9_000 })
    expect(said).toEqual([])
  })
})

it('the clock of the server is checked with each renewal of leases', async () => {
  const { url } = await makeDatabase()
  const lines: string[] = []
  let off = 0
  const store = await openPostgres(url, { machine: () => Date.now() + off, say: (line) => lines.push(line) })
  onTestFinished(() => store.close())
  expect(lines).toEqual([])
  off = -HOUR
  await expect
    .poll(async () => {
      await store.renew('one', store.clock, LEASE_MS)
      return lines
    })
    .toEqual([expect.stringContaining('3600 s behind')])
})

describe('a machine whose clock is an hour behind', () => {
  it('begins with the time of the others, and leaves their lanes and their waits alone [F-61]', async () => {
    const { url } = await makeDatabase()
    const right = await openPostgres(url)
    const lines: string[] = []
    const behind = await openPostgres(url, { machine: () => Date.now() - HOUR, say: (line) => lines.push(line) })
    onTestFinished(async () => void (await Promise.all([right.close(), behind.close()])))
    expect(lines).toEqual([expect.stringContaining('3600 s behind that of the database')])
    const before = right.clock()
    const there = behind.clock()
    expect(there).toBeGreaterThanOrEqual(before - 5_000)
    expect(there).toBeLessThanOrEqual(right.clock() + 5_000)

    await arrive(right, [item()], right.clock())
    const { fence, item: begun } = await begin(right, { now: right.clock() })
    const at = right.clock() + 10 * HOUR
    const retry = { as: 'retry', reason: 'x', at, blocksLane: true, completedHandlers: [] } as const
    await right.settleItem(fence, begun.id, retry, { now: right.clock(), goOn: false })
    await behind.renew('behind', behind.clock, LEASE_MS)
    const claim = { owner: 'behind', limit: 1, now: behind.clock(), leaseMs: LEASE_MS }
    expect(await behind.claimItems(claim)).toEqual({ begun: [], nextAt: at })
  })
})

it('a machine whose clock is an hour ahead takes no lane that another one holds [F-55, F-61]', async () => {
  const { url } = await makeDatabase()
  const right = await openPostgres(url)
  const ahead = await openPostgres(url, { machine: () => Date.now() + HOUR })
  onTestFinished(async () => void (await Promise.all([right.close(), ahead.close()])))
  await arrive(right, [item()], right.clock())
  await begin(right, { now: right.clock() })
  const claim = { owner: 'ahead', limit: 1, now: ahead.clock(), leaseMs: LEASE_MS }
  expect((await ahead.claimItems(claim)).begun).toEqual([])
  expect(await ahead.renew('ahead', ahead.clock, LEASE_MS)).toBe(true)
  expect((await ahead.claimItems({ ...claim, now: ahead.clock() })).begun).toEqual([])
  expect(await right.renew('one', right.clock, LEASE_MS)).toBe(true)
})
