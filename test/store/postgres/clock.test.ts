import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openServerClock } from '../../../src/store/postgres/postgres-store.ts'
import type { PostgresPool } from '../../../src/store/postgres/pool.ts'

const HOUR = 3_600_000

/** The server's clock and a monotonic one; true time passes for both. */
async function clocks({ there = 0, back = 0 } = {}) {
  const at = { true: 1_700_000_000_000, serverOff: 0, there, back, answers: true }
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
  const clock = await openServerClock({ pool, monotonic: () => at.true - 1_600_000_000_000 })
  return { at, clock, error: () => clock.now() - (at.true + at.serverOff) }
}

describe('the clock of the server', () => {
  it('is known no worse than the answer took, and never moves for an answer that fits [F-61]', async () => {
    const ms = fc.nat(5_000)
    await fc.assert(
      fc.asyncProperty(ms, ms, fc.array(fc.tuple(ms, ms), { minLength: 1 }), async (there, back, looks) => {
        const { at, clock, error } = await clocks({ there, back })
        let known = Math.abs(error())
        expect(known).toBeLessThanOrEqual((there + back) / 2 + 1)
        for (const [to, fro] of looks) {
          Object.assign(at, { there: to, back: fro })
          await clock.readAgain()
          expect(Math.abs(error())).toBeLessThanOrEqual(Math.min(known, Math.max(to, fro)) + 1)
          known = Math.abs(error())
        }
      }),
    )
  })

  it('is followed where it goes, as that of another server after a failover', async () => {
    const { at, clock, error } = await clocks()
    at.serverOff = -40_000
    await clock.readAgain()
    expect(error()).toBe(0)
  })

  it('continues from its last known time while the server does not answer', async () => {
    const { at, clock, error } = await clocks()
    at.answers = false
    at.true += HOUR
    await clock.readAgain()
    expect(error()).toBe(0)
  })
})
