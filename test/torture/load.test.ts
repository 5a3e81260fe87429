import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { read } from '../stores/sqlite-backend.ts'
import { createPoster, type Delivery, messageFrom, type Outcome, type Poster } from './post.ts'
import { freePort } from '../support/free-port.ts'
import { type Note, openHarness, SECRET, type Harness } from './processes.ts'

const CUSTOMERS = Array.from({ length: 12 }, (_, index) => String(255712000100 + index))
const ACCEPTED = '{"status":"accepted"}'
const DUPLICATE = '{"status":"duplicate"}'

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

  it('a process killed in a stream of deliveries loses none that it acknowledged, and handles each [R DEL-02, R DEL-01, F-46]', async () => {
    const acknowledged = new Set<string>()
    const killed = new Set<number>()
    for (const round of [1, 2]) {
      const app = await harness.launch()
      let enough = () => {}
      const many = new Promise<void>((resolve) => {
        enough = resolve
      })
      const streaming = stream(app.url, (delivery, outcome) => {
        if (!('status' in outcome)) return
        expect(outcome).toEqual({ status: 200, body: ACCEPTED })
        acknowledged.add(delivery.id)
        if (acknowledged.size >= round * 250) enough()
      })
      await many
      await app.end('SIGKILL')
      killed.add(app.pid)
      await streaming
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(500)
    expect(read(harness.database, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    const stored = read(harness.database, 'SELECT delivery_id FROM deliveries').map((row) => String(row['delivery_id']))
    expect(new Set(stored).size).toBe(stored.length)
    expect([...acknowledged].filter((id) => !stored.includes(id))).toEqual([])

    const app = await harness.launch()
    expect(await app.handled(stored.length)).toEqual({ done: stored.length })
    expect(overlaps(harness.notes(), killed)).toEqual([])
  })

  it('two processes on one file take each delivery once and never run one lane at once; one killed hands over [R DEL-01, R DEL-03, F-49, F-55]', async () => {
    const speed = 3
    const apps = [await harness.launch({ speed }), await harness.launch({ speed })] as const
    const deliveries = CUSTOMERS.flatMap((customer) =>
      Array.from({ length: 25 }, (_, index) => messageFrom(customer, `${index}`)),
    )
    const hanging = messageFrom('255712000999', 'hang')
    const behind = messageFrom('255712000999', 'behind')
    const all = [...deliveries.slice(0, 150), hanging, behind, ...deliveries.slice(150)]

    // Each delivery goes to both processes; which one stores it is a matter of chance.
    const answers = await Promise.all(
      all.map((delivery) => Promise.all(apps.map((app) => postUntilTaken(app.url, delivery)))),
    )
    for (const pair of answers)
      expect(new Set(pair.map((outcome) => ('body' in outcome ? outcome.body : outcome.none)))).toEqual(
        new Set([ACCEPTED, DUPLICATE]),
      )
    const holder = await Promise.race(
      apps.map(async (app) => {
        await app.reported((report) => report.kind === 'at' && report.what === 'hang')
        return app
      }),
    )
    const [heir] = apps.filter((app) => app !== holder)
    if (!heir) throw new Error('there is no other process')
    await holder.end('SIGKILL')
    expect(await heir.handled(all.length)).toEqual({ done: all.length })

    const notes = harness.notes()
    expect(overlaps(notes, new Set([holder.pid]))).toEqual([])
    expect(new Set(notes.map(({ pid }) => pid))).toEqual(new Set(apps.map(({ pid }) => pid)))
    const again = notes.find(({ text, attempt }) => text === 'hang' && attempt === 2)
    expect(again).toMatchObject({ pid: heir.pid })
    const ended = notes.filter(({ what, text }) => what === 'end' && text !== 'hang' && text !== 'behind')
    expect(new Set(ended.map(({ customer, text }) => `${customer} ${text}`)).size).toBe(deliveries.length)
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

    const stored = read(harness.database, 'SELECT delivery_id FROM deliveries').map((row) => String(row['delivery_id']))
    expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([])
    const items = read(harness.database, 'SELECT * FROM items')
    expect(items.filter(({ state }) => state !== 'done' && state !== 'stored')).toEqual([])
    expect(items.filter(({ state, attempts }) => state === 'stored' && attempts !== 0)).toEqual([])
    expect(read(harness.database, 'SELECT * FROM lanes WHERE owner IS NOT NULL')).toEqual([])

    const second = await harness.launch({ port, speed: 5 })
    await second.reported((report) => report.kind === 'at' && report.what === 'hang')
    const hung = harness.notes().filter(({ text }) => text === 'hang')
    expect(hung.map(({ attempt, pid }) => [attempt, pid])).toEqual([
      [1, first.pid],
      [1, second.pid],
    ])
  })

  /** Posts again after a 503, as the service does: on a busy machine one process may hold the file for too long. */
  async function postUntilTaken(url: string, delivery: Delivery): Promise<Outcome> {
    for (;;) {
      const outcome = await poster.post(url, delivery)
      if (!('status' in outcome) || outcome.status !== 503) return outcome
    }
  }

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

/** Handlers of one customer that ran at the same time. A killed process ends the handlers that it had begun. */
function overlaps(notes: readonly Note[], killed: ReadonlySet<number>): string[] {
  const running = new Map<string, Note>()
  const found: string[] = []
  for (const note of notes) {
    const other = running.get(note.customer)
    if (note.what === 'end') running.delete(note.customer)
    else {
      if (other && !killed.has(other.pid)) found.push(`${note.customer}: ${other.text} and ${note.text}`)
      running.set(note.customer, note)
    }
  }
  return found
}
