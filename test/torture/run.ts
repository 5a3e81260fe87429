/** Runs a plan: two processes on one file, an emulator that takes their replies, traffic and faults. */
import { setTimeout as wait } from 'node:timers/promises'
import { createEmulator, type Emulator } from 'switchhook/emulator'
import { freePort } from '../support/free-port.ts'
import { createDisk, type Disk, diskLibrary } from '../powercut/disk.ts'
import { read } from '../stores/sqlite-backend.ts'
import type { SendNote } from './app.ts'
import { type Moment, strikeAll, type World } from './faults.ts'
import type { Plan, Who } from './plan.ts'
import { createPoster } from './post.ts'
import { type App, type Harness, type Note, openHarness } from './processes.ts'
import { type Sent, startTraffic } from './traffic.ts'

/** All that was seen at both ends, and what the database says in the end. */
export interface Evidence {
  readonly plan: Plan
  readonly sent: ReadonlyMap<string, Sent>
  readonly moments: readonly Moment[]
  readonly notes: readonly Note[]
  readonly sendNotes: readonly SendNote[]
  /** Copies of the reply to each text on the phones. */
  readonly copies: ReadonlyMap<string, number>
  /** Processes that ended though nobody ended them. */
  readonly crashes: readonly string[]
  readonly rows: Rows
  readonly seconds: number
}

type Row = Record<string, unknown>

export interface Rows {
  readonly deliveries: readonly Row[]
  readonly items: readonly Row[]
  readonly sends: readonly Row[]
  readonly sessions: readonly Row[]
  readonly integrity: readonly Row[]
}

/** Leases, back-offs and time-outs pass so many times faster than in life. */
export const SPEED = 3
/** Payload times lie in the past, also for a clock that was set back. */
const WROTE_BEFORE_MS = 4 * 3_600_000
/** Real time after which the poster gives up a process that stands still. */
const POST_TIMEOUT_MS = 30_000
/** If nothing moves for so long, what waits will wait for ever. */
const STUCK_MS = 60_000
const LOOK_EVERY_MS = 250

/** An app's answer to a message. */
export const replyTo = (text: string) => `You said: ${text}`

export async function torture(plan: Plan): Promise<Evidence> {
  await using harness = openHarness()
  await using emulator = await createEmulator({
    seed: plan.seed,
    assumptions: { upstreamMs: 0, keysRememberedFor: plan.keysRememberedFor },
  })
  for (const customer of plan.bursts.keys()) await emulator.customer(customer).says('the window is open')
  const began = Date.now()
  const crashes: string[] = []
  const library = diskLibrary()
  const disks = library === undefined ? [] : [createDisk(library), createDisk(library)]
  const { world, poster } = await openWorld(plan, { harness, emulator, crashes, disks })
  try {
    const [moments] = await Promise.all([strikeAll(world), world.traffic.done])
    await settled(harness)
    return {
      plan,
      sent: world.traffic.sent,
      moments,
      notes: harness.notes(),
      sendNotes: harness.sendNotes(),
      copies: await copiesOf(plan, emulator),
      crashes,
      rows: rowsOf(harness.database),
      seconds: (Date.now() - began) / 1_000,
    }
  } finally {
    poster.close()
    for (const disk of disks) disk.remove()
  }
}

interface Deps {
  readonly harness: Harness
  readonly emulator: Emulator
  readonly crashes: string[]
  /** Each process's own, over the same files; none where its library cannot be built. */
  readonly disks: readonly Disk[]
}

async function openWorld(plan: Plan, { harness, emulator, crashes, disks }: Deps) {
  const ports = [await freePort(), await freePort()] as const
  let ahead = 0
  const now = () => harness.epoch + (Date.now() - harness.epoch) * SPEED + ahead

  const launch = async (who: Who): Promise<App> => {
    const environment = { ...disks[who]?.env, DISK_FOLDER: harness.folder, DISK_LOG: '/dev/null' }
    const more = { speed: SPEED, clockAhead: ahead, notesSends: true, environment }
    const app = await harness.launch({ port: ports[who], emulator, ...more })
    void app.ended.then((code) => code !== null && code !== 0 && crashes.push(`${app.pid} ended with ${code}`))
    return app
  }
  const apps: [App, App] = [await launch(0), await launch(1)]
  const poster = createPoster(harness.secret, now, POST_TIMEOUT_MS)
  const epoch = harness.epoch - WROTE_BEFORE_MS
  const traffic = startTraffic({ plan, poster, url: (who) => apps[who].url, epoch })
  const world: World = {
    plan,
    traffic,
    emulator,
    database: harness.database,
    apps,
    async restart(who) {
      apps[who] = await launch(who)
    },
    failDisk: (who, failures) => disks[who]?.fail(failures),
    async setClock(to) {
      ahead = to
      for (const app of apps) app.order({ do: 'step', ahead })
      await Promise.all(apps.map((app) => app.reported((report) => report.kind === 'stepped' && report.by === to)))
    },
  }
  return { world, poster }
}

/** Resolves when nothing waits any more, or nothing moves. */
async function settled({ database }: Harness): Promise<void> {
  let [before, movedAt] = ['', Date.now()]
  for (;;) {
    const [open] = read(
      database,
      `SELECT (SELECT count(*) FROM pending) + (SELECT count(*) FROM items WHERE settled_at IS NULL)
        + (SELECT count(*) FROM sends WHERE settled_at IS NULL) AS count,
        (SELECT sum(attempts) FROM items) AS tries, (SELECT sum(attempts) FROM sends) AS repeats`,
    )
    if (open?.['count'] === 0) return
    const now = JSON.stringify(open)
    if (now !== before) movedAt = Date.now()
    if (Date.now() - movedAt > STUCK_MS) return
    before = now
    await wait(LOOK_EVERY_MS)
  }
}

async function copiesOf(plan: Plan, emulator: Emulator): Promise<Map<string, number>> {
  const copies = new Map<string, number>()
  for (const customer of plan.bursts.keys())
    for (const { direction, refused, text = '' } of await emulator.customer(customer).thread())
      if (direction === 'OUTBOUND' && !refused) copies.set(text ?? '', (copies.get(text ?? '') ?? 0) + 1)
  return copies
}

function rowsOf(database: string): Rows {
  return {
    deliveries: read(database, 'SELECT seq, delivery_id, state, repeats FROM deliveries'),
    items: read(database, 'SELECT seq, customer, state, attempts, reason, ready_at, lane FROM items'),
    sends: read(database, 'SELECT * FROM sends'),
    sessions: read(database, 'SELECT customer, value FROM sessions'),
    integrity: read(database, 'PRAGMA integrity_check'),
  }
}
