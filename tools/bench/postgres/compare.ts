/** Accepting and handling, contender by contender, in an order that changes with each round. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type OwnPostgres, startPostgres } from '../../../test/support/own-postgres.ts'
import { readPostgres } from '../../../test/support/read-postgres.ts'
import { deliveryBody, ulid } from '../requests.ts'
import { median } from '../rounds.ts'
import { bare, type Bare, type Rows, rowsOf } from './bare.ts'
import type { Contender, Delivery } from './contender.ts'
import { ours } from './ours.ts'
import { type Cost, costOf, costOfHandling } from './server-cpu.ts'

export interface Size {
  readonly rounds: number
  readonly deliveries: number
}

export type Name = 'ours' | 'bare' | 'pg-boss' | 'graphile-worker'
export type Round = Readonly<Record<Name, { readonly accepting: Cost; readonly handling: Cost }>>

/** Each has so many messages. */
export const MESSAGES_OF_A_CUSTOMER = 10
/** The first rounds fill caches and compile. */
const WARM_UP = 1

/** Syncs take time and no CPU, and nobody vacuums in the middle of somebody's turn. */
export const SETTINGS = ['full_page_writes=on', 'shared_buffers=256MB', 'autovacuum=off']

export async function compare(size: Size): Promise<readonly Round[]> {
  installQueues()
  await using server = await startPostgres(SETTINGS)
  await using contenders = await open(server)
  const rounds: Round[] = []
  for (let round = -WARM_UP; round < size.rounds; round++) {
    const taken = await oneRound(server, contenders, { ...size, round: Math.abs(round) })
    if (round < 0) continue
    rounds.push(taken)
    console.log(`round ${round + 1}: ${Object.entries(taken).map(spoken).join('; ')}`)
  }
  for (const [what, value] of Object.entries(ratios(rounds))) console.log(`${value.toFixed(2).padStart(6)}  ${what}`)
  return rounds
}

/** Ours costs so much less than each of them, in the middle of the rounds. */
export function ratios(rounds: readonly Round[]): Record<string, number> {
  const of = (cost: (round: Round) => number) => median(rounds.map(cost))
  const whole = ({ accepting, handling }: Round[Name]) =>
    accepting.server + accepting.client + handling.server + handling.client
  return {
    'accepting, server CPU, beside the bare script': of((r) => r.bare.accepting.server / r.ours.accepting.server),
    'handling, server CPU, beside the bare script': of((r) => r.bare.handling.server / r.ours.handling.server),
    'accepting and handling, all CPU, beside pg-boss': of((r) => whole(r['pg-boss']) / whole(r.ours)),
    'accepting and handling, all CPU, beside graphile-worker': of((r) => whole(r['graphile-worker']) / whole(r.ours)),
  }
}

interface Contenders extends AsyncDisposable {
  readonly databases: Readonly<Record<Name, string>>
  readonly ours: Contender
  readonly bare: Bare
  readonly queues: readonly Contender[]
}

async function open({ url }: OwnPostgres): Promise<Contenders> {
  const make = async (name: string) => {
    const database = `bench_${name.replace('-', '_')}`
    await readPostgres(url, `CREATE DATABASE ${database} TEMPLATE template0`)
    return Object.assign(new URL(url), { pathname: `/${database}` }).href
  }
  const databases = {
    ours: await make('ours'),
    bare: await make('bare'),
    'pg-boss': await make('pg-boss'),
    'graphile-worker': await make('graphile-worker'),
  }
  // It makes the tables that the script writes.
  await using _ = await ours(databases.bare)
  const { pgBoss, graphileWorker } = (await import(QUEUES)) as Record<string, (url: string) => Promise<Contender>>
  const queues = [await pgBoss?.(databases['pg-boss']), await graphileWorker?.(databases['graphile-worker'])]
  const all = {
    ours: await ours(databases.ours),
    bare: await bare(databases.bare),
    queues: queues.filter((queue) => queue !== undefined),
  }
  return {
    databases,
    ...all,
    async [Symbol.asyncDispose]() {
      for (const one of [all.ours, all.bare, ...all.queues]) await one[Symbol.asyncDispose]()
    },
  }
}

async function oneRound(
  server: OwnPostgres,
  { databases, ours, bare, queues }: Contenders,
  { deliveries: count, round }: Size & { round: number },
): Promise<Round> {
  const accepting = (accept: () => Promise<void>): Promise<Cost> =>
    costOf(server.pid(), async () => {
      await accept()
      return count
    })
  /** All that is acknowledged is handled, and nothing twice. */
  const handling = async (handle: () => Promise<number>): Promise<Cost> => {
    let handled = 0
    const cost = await costOfHandling(server.pid(), async () => {
      const more = await handle()
      handled += more
      return more
    })
    if (handled !== count) throw new Error(`${handled} of ${count} were handled`)
    return cost
  }
  const taken: Partial<Record<string, Round[Name]>> = {}
  const deliveries = makeDeliveries(count)
  let rows: Rows | undefined
  const turns: Record<string, () => Promise<void>> = {
    async ours() {
      await emptied(databases.ours)
      const stored = await accepting(() => ours.accept(deliveries))
      rows = await rowsOf(databases.ours)
      checkStored(rows, deliveries)
      taken['ours'] = { accepting: stored, handling: await handling(() => ours.handle()) }
    },
    async bare() {
      await emptied(databases.bare)
      const given = rows as Rows
      const stored = await accepting(() => bare.accept(given))
      checkStored(await rowsOf(databases.bare), deliveries)
      taken['bare'] = { accepting: stored, handling: await handling(() => bare.handle()) }
    },
  }
  for (const queue of queues)
    turns[queue.name] = async () => {
      // Its tables keep the jobs of all rounds, and nobody else vacuums them.
      await readPostgres(databases[queue.name as Name], 'VACUUM ANALYZE')
      await written(databases[queue.name as Name])
      const stored = await accepting(() => queue.accept(deliveries))
      taken[queue.name] = { accepting: stored, handling: await handling(() => queue.handle()) }
    }
  // The script writes what ours has written, so it comes behind it.
  const [first, second] = [['ours', 'bare'], queues.map(({ name }) => name)]
  const order = round % 2 === 0 ? [...first, ...second] : [...second.toReversed(), ...first]
  for (const name of order) await turns[name]?.()
  return taken as Round
}

export function makeDeliveries(count: number): Delivery[] {
  const customers = Math.ceil(count / MESSAGES_OF_A_CUSTOMER)
  return Array.from({ length: count }, (_, index) => {
    const [id, customer] = [ulid(), 255_712_000_000 + (index % customers)]
    return { id, customer: String(customer), body: deliveryBody(id, customer) }
  })
}

/** Each delivery has its row, and an item that waits; ours and the script have the same ones. */
function checkStored({ inbox, contents, work, customers: known }: Rows, sent: readonly Delivery[]): void {
  const customers = new Set(sent.map(({ customer }) => customer)).size
  const counts = [inbox, contents, work, known].map(({ length }) => length)
  if (counts.join() !== [sent.length, sent.length, sent.length, customers].join())
    throw new Error(`the rows of ${sent.length} deliveries are ${counts.join()}`)
}

/** The tables are as large in each round. */
async function emptied(database: string): Promise<void> {
  await readPostgres(database, 'TRUNCATE inbox, contents, work, customers')
  await written(database)
}

/** Pages that another has left to be written are not written in this one's turn. */
async function written(database: string): Promise<void> {
  await readPostgres(database, 'CHECKPOINT')
}

const QUEUES = join(import.meta.dirname, 'queues/queues.ts')

/** They are many and large, so `npm ci` leaves them out; their versions are exact. */
function installQueues(): void {
  const folder = join(import.meta.dirname, 'queues')
  if (existsSync(join(folder, 'node_modules'))) return
  console.log('installing the queues, once')
  const { status } = spawnSync('npm', ['install', '--no-package-lock', '--prefix', folder], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the queues could not be installed')
}

function spoken([name, { accepting, handling }]: [string, Round[Name]]): string {
  const shown = ({ server, client }: Cost) => `${server.toFixed(0)}+${client.toFixed(0)}`
  return `${name} ${shown(accepting)}, ${shown(handling)}`
}
