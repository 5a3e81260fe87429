/** Runs a plan: processes over one database, an emulator that takes their replies, traffic and faults. */
import { setTimeout as wait } from 'node:timers/promises'
import { createEmulator, type Emulator } from 'switchhook/emulator'
import { freePort } from '../../test/support/free-port.ts'
import type { SendNote } from './app.ts'
import { NEWS } from './acts.ts'
import { type Fault, NODES, type Who } from './decks.ts'
import { type Moment, strikeAll, type World } from './faults.ts'
import { openFile } from './file.ts'
import type { Ground, Row } from './ground.ts'
import type { Plan } from './plan.ts'
import { type Outside, startOutside } from './outside.ts'
import { createPoster } from './post.ts'
import { type App, type Harness, type Note, openHarness } from './processes.ts'
import { openServer } from './server.ts'
import { type Sent, startTraffic } from './traffic.ts'
import type { Finding } from './verdict.ts'

/** All that was seen at both ends, and what the database says in the end. */
export interface Evidence {
  readonly plan: Plan
  readonly sent: ReadonlyMap<string, Sent>
  readonly moments: readonly Moment[]
  readonly notes: readonly Note[]
  readonly sendNotes: readonly SendNote[]
  /** Copies of the reply to each text on the phones. */
  readonly copies: ReadonlyMap<string, number>
  readonly rows: Rows
  /** All that is wrong with the database. */
  readonly damage: readonly string[]
  /** What went wrong beside the messages. */
  readonly beside: readonly Finding[]
  /** What happened beside the messages, in one line. */
  readonly outside: string
  /** How often the server has reported each error, by its code. */
  readonly log: Readonly<Record<string, number>>
  readonly seconds: number
}

export interface Rows {
  readonly deliveries: readonly Row[]
  readonly items: readonly Row[]
  readonly sends: readonly Row[]
  readonly sessions: readonly Row[]
}

/** Payload times lie in the past, also for a clock that was set back. */
const WROTE_BEFORE_MS = 4 * 3_600_000
/** Real time after which the poster gives up a process that stands still. */
const POST_TIMEOUT_MS = 30_000
/** If nothing moves for so long, what waits will wait for ever. */
const STUCK_MS = 60_000
const LOOK_EVERY_MS = 250
const STARTS = 10

/** An app's answer to a message. */
export const replyTo = (text: string) => `You said: ${text}`

export async function torture(plan: Plan): Promise<Evidence> {
  await using harness = openHarness()
  await using ground = await openGround(plan, harness)
  await using emulator = await createEmulator({
    seed: plan.seed,
    assumptions: { upstreamMs: 0, keysRememberedFor: plan.keysRememberedFor },
  })
  for (const customer of plan.bursts.keys()) await emulator.customer(customer).says('the window is open')
  await emulator.templates.add(NEWS)
  const began = Date.now()
  const crashed = Promise.withResolvers<never>()
  const { world, poster, outside } = await openWorld(plan, { harness, ground, emulator, crash: crashed.reject })
  try {
    // Nobody starts a crashed process again, so the others' traffic would wait for it.
    const [moments] = await Promise.race([Promise.all([strikeAll(world), world.traffic.done]), crashed.promise])
    await outside.end()
    await settled(ground)
    const sendNotes = harness.sendNotes()
    return {
      plan,
      sent: world.traffic.sent,
      moments,
      notes: harness.notes(),
      sendNotes,
      copies: await copiesOf(plan, emulator),
      rows: await rowsOf(ground),
      damage: await ground.damage(),
      beside: await outside.judge({ sendNotes, emulator }),
      outside: outside.summary(),
      log: ground.errors(),
      seconds: (Date.now() - began) / 1_000,
    }
  } finally {
    poster.close()
  }
}

async function openGround({ over, team, roundTripMs }: Plan, harness: Harness): Promise<Ground<Fault>> {
  return over === 'file' ? openFile(harness, team) : openServer(team, over === 'nodes' ? NODES : [], roundTripMs)
}

interface Deps {
  readonly harness: Harness
  readonly ground: Ground<Fault>
  readonly emulator: Emulator
  /** A process ended though nobody ended it. */
  readonly crash: (error: Error) => void
}

async function openWorld(plan: Plan, { harness, ground, emulator, crash }: Deps) {
  const ports = await Promise.all(plan.team.map(freePort))
  const ahead: number[] = plan.team.map(() => 0)
  /** By the clock of the first process, which is everybody's where the processes are on one machine. */
  const now = () => Date.now() + (plan.over === 'file' ? (ahead[0] ?? 0) : 0)

  let outside: Outside | undefined = undefined
  const launch = async (who: Who): Promise<App> => {
    const more = {
      clockAhead: ahead[who] ?? 0,
      notesSends: true,
      environment: { ...ground.environment(who), TORTURE_ODD: '1' },
      node: ground.nodeOf(who),
    }
    const app = await started(() => harness.launch({ port: ports[who] ?? 0, emulator, ...more }), plan)
    app.onReport((report) => outside?.hear(report))
    void app.ended.then(
      (code) => code !== null && code !== 0 && crash(new Error(`${app.pid} ended with ${code}: ${app.stderr()}`)),
    )
    return app
  }
  // The first one makes the tables.
  const apps: App[] = [await launch(0)]
  apps.push(...(await Promise.all([...plan.team.keys()].slice(1).map(launch))))
  const app = (who: Who) => apps[who] as App
  const poster = createPoster(harness.secret, now, POST_TIMEOUT_MS)
  const epoch = harness.epoch - WROTE_BEFORE_MS
  const traffic = startTraffic({ plan, poster, url: (who) => app(who).url, epoch })
  const world: World = {
    plan,
    traffic,
    emulator,
    ground,
    app,
    async restart(who) {
      apps[who] = await launch(who)
    },
    async setClock(to, only) {
      const changed = [...apps.keys()].filter((who) => only === undefined || who === only)
      await Promise.all(
        changed.map(async (who) => {
          ahead[who] = to
          app(who).order({ do: 'step', ahead: to })
          await app(who).reported((report) => report.kind === 'stepped' && report.by === to)
        }),
      )
    },
  }
  outside = startOutside({ plan, poster, ground, app, url: (who) => app(who).url })
  return { world, poster, outside }
}

/** A busy server may refuse a start. A process manager starts the process again. */
async function started(launch: () => Promise<App>, { over }: Plan): Promise<App> {
  for (let left = over === 'file' ? 1 : STARTS; ; left--)
    try {
      return await launch()
    } catch (error) {
      if (left === 1) throw error
    }
}

/** Resolves when nothing waits any more, or nothing moves. */
async function settled({ read }: Ground<Fault>): Promise<void> {
  let [before, movedAt] = ['', Date.now()]
  for (;;) {
    const [open] = await read(
      `SELECT (SELECT count(*) FROM work WHERE state NOT IN ('parked', 'dead'))
        + (SELECT count(*) FROM sends WHERE settled_at IS NULL)
        + (SELECT count(*) FROM announcements WHERE state = 'running') AS count,
        (SELECT sum(sent) FROM announcements) AS announced, (SELECT sum(attempts) FROM work) AS tries, (SELECT sum(attempts) FROM sends) AS repeats`,
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

async function rowsOf({ read }: Ground<Fault>): Promise<Rows> {
  return {
    deliveries: await read(
      'SELECT id AS seq, coalesce(delivery_id, other_id) AS delivery_id, mark, repeats FROM inbox WHERE idx = 0',
    ),
    items: await read(
      `SELECT coalesce(i.delivery, i.id) AS seq, i.customer, i.lane, coalesce(w.state, i.mark, 'done') AS state, w.place,
        w.owner, w.attempts, w.reason, w.due
      FROM inbox i LEFT JOIN work w ON w.item = i.id WHERE i.kind IS NOT NULL`,
    ),
    sends: await read('SELECT * FROM sends'),
    sessions: await read('SELECT customer, session AS value FROM customers WHERE session IS NOT NULL'),
  }
}
