/**
 * What several processes over one database store and handle together, beside one: near the server, and with a round trip as
 * between two zones of a region. With another checkout all of it is run with its store too, turn by turn.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DOCS, writeSection } from '../../../test/support/docs-section.ts'
import { type OwnPostgres, startPostgres } from '../../../test/support/own-postgres.ts'
import { readPostgres } from '../../../test/support/read-postgres.ts'
import { machine } from '../machine.ts'
import { median } from '../rounds.ts'
import { growChart } from './grow-chart.ts'
import type { Load, Told } from './grow-process.ts'
import { serverCpu } from './server-cpu.ts'
import { versions } from './versions.ts'

const HERE = resolve(import.meta.dirname, '../../..')
const CALLERS = 64
const CUSTOMERS = 20_000
export const PROCESSES = [1, 2, 4] as const
export const ROUND_TRIPS = [0, 4] as const
const FAR = 4
/** Until nearly every customer has written: a process locks a customer whom it knows in one statement less. */
const WARM_UP_MS = 6_000

/** As a database that is used: what is acknowledged is on its disk. */
const SETTINGS = [
  'fsync=on',
  'full_page_writes=on',
  'synchronous_commit=on',
  'shared_buffers=512MB',
  'max_wal_size=2GB',
  'autovacuum=off',
]

interface Scene {
  readonly name: string
  readonly processes: number
  readonly roundTripMs: number
  /** In each process. */
  readonly callers: number
  readonly customers: number
  readonly inTurn: boolean
}

const CROWD = { callers: CALLERS, customers: CUSTOMERS, inTurn: false }
const nameOf = (processes: number, roundTripMs: number) => `${processes} of ${roundTripMs} ms`
const SCENES: readonly Scene[] = [
  ...ROUND_TRIPS.flatMap((roundTripMs) =>
    PROCESSES.map((processes) => ({ name: nameOf(processes, roundTripMs), processes, roundTripMs, ...CROWD })),
  ),
  { name: 'one at a time', processes: 1, roundTripMs: FAR, callers: 1, customers: CUSTOMERS, inTurn: false },
  // All of it is in one lane. What is stored without end would be handled once in a group of as many as there are callers.
  { name: 'storm', processes: 4, roundTripMs: 0, callers: 16, customers: 1, inTurn: true },
]

export interface Taken {
  /** A second. */
  readonly stored: number
  readonly handled: number
  /** Milliseconds until a delivery is answered: of the slowest process. */
  readonly p50: number
  readonly p99: number
  /** Microseconds of CPU for each delivery that was stored. */
  readonly server: number
  readonly client: number
  readonly failed: number
}

/** By its name, the median of the rounds. */
export type Grown = Readonly<Record<string, Taken>>

export async function grow(o: {
  readonly rounds: number
  readonly seconds: number
  readonly against: string | undefined
  readonly json: string | undefined
  readonly writes: boolean
}): Promise<void> {
  await using server = await startPostgres(SETTINGS)
  const builds = { here: HERE, ...(o.against !== undefined && { before: resolve(o.against) }) }
  const taken: Record<string, Record<string, Taken[]>> = { here: {}, before: {} }
  for (let round = 0; round < o.rounds; round++)
    for (const scene of SCENES) {
      const names = Object.keys(builds) as (keyof typeof builds)[]
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const one = await play(server, builds[name] as string, scene, o.seconds)
        ;((taken[name] as Record<string, Taken[]>)[scene.name] ??= []).push(one)
        console.log(`round ${round + 1}, ${scene.name}, ${name}: ${spoken(one)}`)
      }
    }
  const here = middles(taken['here'] as Record<string, Taken[]>)
  const before = o.against === undefined ? undefined : middles(taken['before'] as Record<string, Taken[]>)
  console.log(`\n${tableOf(here)}\n${before ? `\nbefore:\n\n${tableOf(before)}\n\n${targets(here, before)}` : ''}`)
  if (o.json !== undefined) writeFileSync(o.json, `${JSON.stringify({ here, before, runs: taken }, null, 2)}\n`)
  if (!o.writes) return
  const what = `${new Date().toISOString().slice(0, 10)}, medians of ${o.rounds} runs of ${o.seconds} s in turns, on ${machine()}. ${versions({ queues: false })}.`
  writeSection('scaling.md', { name: 'growth', by: 'npm run bench:postgres -- grow' }, `${tableOf(here)}\n\n${what}`)
  writeFileSync(join(DOCS, 'growth.svg'), growChart(here))
}

async function play(server: OwnPostgres, root: string, scene: Scene, seconds: number): Promise<Taken> {
  const name = `grow_${performance.now().toString(36).replace('.', '_')}`
  await readPostgres(server.url, `CREATE DATABASE ${name} TEMPLATE template0`)
  const database = Object.assign(new URL(server.url), { pathname: `/${name}` }).href
  const processes: ChildProcess[] = []
  const line = scene.roundTripMs > 0 ? await openLine(server.url, scene.roundTripMs) : undefined
  const port = line?.port ?? new URL(server.url).port
  try {
    for (let nth = 0; nth < scene.processes; nth++) {
      const { callers, customers, inTurn } = scene
      const load: Load = { root, database: Object.assign(new URL(database), { port }).href, callers, customers, inTurn }
      processes.push(await begin(load))
      // Customers who wrote before: a new one costs more, and a bot has few of those.
      if (nth === 0) await fillCustomers(database, scene.customers)
    }
    let turn = 0
    for (const one of processes)
      one.on('message', (said) => {
        if (said === 'handled') processes[turn++ % processes.length]?.send('next')
      })
    for (const one of processes) one.send('go')
    await wait(WARM_UP_MS)
    await tell(processes)
    const [before, cpu, from] = [await tell(processes), serverCpu(server.pid()), performance.now()]
    await wait(seconds * 1_000)
    const [after, cpuAfter, passed] = [
      await tell(processes),
      serverCpu(server.pid()),
      (performance.now() - from) / 1_000,
    ]
    const sum = (of: keyof Told) => after.reduce((all, one, nth) => all + one[of] - (before[nth] as Told)[of], 0)
    const stored = sum('stored')
    return {
      stored: stored / passed,
      handled: sum('handled') / passed,
      p50: Math.max(...after.map(({ p50 }) => p50)),
      p99: Math.max(...after.map(({ p99 }) => p99)),
      server: (cpuAfter - cpu) / stored,
      client: sum('cpu') / stored,
      failed: sum('failed'),
    }
  } finally {
    for (const one of processes) one.kill()
    line?.child.kill()
    await readPostgres(server.url, `DROP DATABASE ${name} WITH (FORCE)`)
  }
}

async function begin(load: Load): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'grow-process.ts'), [JSON.stringify(load)])
  const [said] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown]
  if (said !== 'ready') throw new Error(`a process ended with ${String(said)}`)
  return child
}

async function tell(processes: readonly ChildProcess[]): Promise<readonly Told[]> {
  return Promise.all(
    processes.map(async (child) => {
      const told = new Promise<Told>((resolve) => {
        child.on('message', function listen(said: Told | 'handled') {
          if (said === 'handled') return
          child.off('message', listen)
          resolve(said)
        })
      })
      child.send('tell')
      return told
    }),
  )
}

async function openLine(url: string, roundTripMs: number): Promise<{ child: ChildProcess; port: string }> {
  const child = fork(join(import.meta.dirname, 'line.ts'), [new URL(url).port, String(roundTripMs)])
  const [port] = (await once(child, 'message')) as [number]
  return { child, port: String(port) }
}

async function fillCustomers(database: string, count: number): Promise<void> {
  await readPostgres(
    database,
    `INSERT INTO customers (number, customer, last_at, moved_at)
     SELECT 'default', (255700000000 + n)::text, 1, 1 FROM generate_series(0, ${count - 1}) AS n ON CONFLICT DO NOTHING`,
  )
  await readPostgres(database, 'ANALYZE customers')
  await readPostgres(database, 'CHECKPOINT')
}

function middles(taken: Readonly<Record<string, readonly Taken[]>>): Grown {
  const keys = ['stored', 'handled', 'p50', 'p99', 'server', 'client', 'failed'] as const
  return Object.fromEntries(
    Object.entries(taken).map(([name, rounds]) => [
      name,
      Object.fromEntries(keys.map((key) => [key, median(rounds.map((one) => one[key]))])) as unknown as Taken,
    ]),
  )
}

export function of(grown: Grown, processes: number, roundTripMs: number): Taken {
  return grown[nameOf(processes, roundTripMs)] as Taken
}

function tableOf(grown: Grown): string {
  const row = (what: string, { handled, p50, p99, server, client }: Taken, one?: Taken) => {
    const beside = one ? (handled / one.handled).toFixed(2) : ''
    const cells = [what, whole(handled), beside, p50.toFixed(1), p99.toFixed(1), server.toFixed(0), client.toFixed(0)]
    return `| ${cells.join(' | ')} |`
  }
  return [
    '| processes, round trip | stored and handled a second | ÷ one process | p50 ms | p99 ms | CPU of the server, µs a delivery | of the processes |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...ROUND_TRIPS.flatMap((ms) =>
      PROCESSES.map((processes) =>
        row(`${processes}, ${ms === 0 ? 'beside the server' : `${ms} ms`}`, of(grown, processes, ms), of(grown, 1, ms)),
      ),
    ),
    row('1, 4 ms, one delivery at a time', grown['one at a time'] as Taken),
    row('4, beside the server, all of one customer', stormOf(grown)),
  ].join('\n')
}

/** What the change of this mechanism must show, each beside the build of before. */
function targets(here: Grown, before: Grown): string {
  const far = (grown: Grown, processes: number) => of(grown, processes, FAR)
  const rows: [string, number, number][] = [
    ['2 processes ÷ 1, 4 ms', far(here, 2).handled / far(here, 1).handled, 1.7],
    ['4 processes ÷ 1, 4 ms', far(here, 4).handled / far(here, 1).handled, 2.3],
    ['one process ÷ before, 4 ms', far(here, 1).handled / far(before, 1).handled, 1.2],
    ['four processes ÷ before, 4 ms', far(here, 4).handled / far(before, 4).handled, 3.5],
    ['p50 with four processes ÷ before, 4 ms (at most)', far(here, 4).p50 / far(before, 4).p50, 0.35],
    [
      'server CPU of a delivery ÷ before, one process, no delay (at most)',
      of(here, 1, 0).server / of(before, 1, 0).server,
      1.1,
    ],
    ['one at a time, p50 ÷ before (at most)', alone(here) / alone(before), 0.65],
    ['a storm of one customer ÷ before', stormOf(here).handled / stormOf(before).handled, 0.9],
  ]
  return [
    '| figure | here | asked |',
    '|---|---:|---:|',
    ...rows.map(([what, value, asked]) => {
      const isMet = what.endsWith('(at most)') ? value <= asked : value >= asked
      return `| ${what} | ${value.toFixed(2)}${isMet ? '' : ' ✗'} | ${asked} |`
    }),
  ].join('\n')
}

const alone = (grown: Grown) => (grown['one at a time'] as Taken).p50
const stormOf = (grown: Grown) => grown['storm'] as Taken

function spoken({ handled, p50, p99, server, client, failed }: Taken): string {
  return `${whole(handled)} a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${server.toFixed(0)}+${client.toFixed(0)} µs${failed > 0 ? `, ${failed} failed` : ''}`
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}
