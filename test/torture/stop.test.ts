import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { read } from '../store/sqlite-backend.ts'
import { countsOf } from '../support/counts-of.ts'
import { createPoster, type Delivery, messageFrom, type Outcome, type Poster } from '../../tools/torture/post.ts'
import { freePort } from '../support/free-port.ts'
import { openHarness, SECRET, type Harness } from '../../tools/torture/processes.ts'

const CUSTOMERS = Array.from({ length: 12 }, (_, index) => String(255712000100 + index))
const ACCEPTED = '{"status":"accepted"}'

describe('under load', () => {
  let harness: Harness
  let poster: Poster
  beforeEach(() => {
    harness = openHarness()
    poster = createPoster(SECRET)
  })
  afterEach(async () => {
    poster.close()
    await harness[Symbol.asyncDispose]()
  })

  it('a process told to stop under load refuses nothing but by a closed port, loses nothing and gives attempts back [F-58, F-63]', async () => {
    const port = await freePort()
    const first = await harness.launch({ port, speed: 5 })
    expect(await poster.post(first.url, messageFrom('255712000999', 'hang'))).toEqual({ status: 200, body: ACCEPTED })
    await first.reported((report) => report.kind === 'at' && report.what === 'hang')
    const acknowledged: string[] = []
    const refused: Outcome[] = []
    let stopping: Promise<number | null> | undefined
    await stream(first.url, (delivery, outcome) => {
      if ('status' in outcome) {
        if (outcome.status === 200) acknowledged.push(delivery.id)
        else refused.push(outcome)
      }
      if (acknowledged.length >= 200) stopping ??= first.end('SIGTERM')
    })
    expect(await stopping).toBe(0)
    expect(refused.slice(0, 1)).toEqual([])
    expect(acknowledged.length).toBeGreaterThan(200)

    const stored = read(harness.database, 'SELECT delivery_id FROM inbox').map((row) => String(row['delivery_id']))
    expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([])
    const { items } = await countsOf(harness.database)
    expect(['done', 'stored']).toEqual(expect.arrayContaining(Object.keys(items)))
    expect(read(harness.database, 'SELECT * FROM work WHERE attempts <> 0 OR owner IS NOT NULL')).toEqual([])

    const second = await harness.launch({ port, speed: 5 })
    await second.reported((report) => report.kind === 'at' && report.what === 'hang')
    const hung = harness.notes().filter(({ text }) => text === 'hang')
    expect(hung.map(({ attempt, pid }) => [attempt, pid])).toEqual([
      [1, first.pid],
      [1, second.pid],
    ])
  })

  /** Customers write without a pause, until the port is closed. */
  async function stream(url: string, heard: (delivery: Delivery, outcome: Outcome) => void): Promise<void> {
    let closed = false
    await Promise.all(
      CUSTOMERS.map(async (customer) => {
        for (let index = 0; !closed; index++) {
          const delivery = messageFrom(customer, `${index}`)
          const outcome = await poster.post(url, delivery)
          closed ||= 'none' in outcome && outcome.none === 'ECONNREFUSED'
          heard(delivery, outcome)
        }
      }),
    )
  }
})
