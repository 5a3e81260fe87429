/**
 * The way to many deliveries a second, on paper: databases side by side, each with the numbers that are placed in it. It says
 * how even their loads are, how long an answer takes, and how long a backlog is worked off after a minute without a database.
 *
 *     npm run bench:postgres -- capacity     into docs/scaling.md
 */
import { writeSection } from '../../../test/support/docs-section.ts'

const RATE = 10_000
const NUMBERS = 20_000

/** CPU of a server for one delivery, from its acceptance to the settlement of its reply, and the part until its answer. */
const COST_US = 1_000
const ACCEPT_US = 200
const CORES = 8
/** Of a group of writes, whatever it holds: its round trips and its statements. */
const GROUP_US = 600
const MOST_IN_A_GROUP = 64
/** Processes that receive, for each database: each has one group under way. */
const RECEIVERS = 4
/** Until a commit is on the disks of two servers. */
const SYNC_MS = 3
/** Deliveries for which something is written that all others wait for, such as a batch, and for how long. */
const ALONE = 0.2
const ALONE_MS = 2
/** Kept with its bytes for 7 days, and without them until 30 days are over. */
const WITH_BYTES = { days: 7, bytes: 2_000 }
const WITHOUT_BYTES = { days: 23, bytes: 1_000 }

interface Sized {
  readonly databases: number
  readonly placed: 'by hash' | 'by load'
  /** Of what a database can do, the part that the busiest one does. */
  readonly busiest: number
  readonly median: number
  readonly late: number
  /** Seconds after which a database that was away for a minute has worked off what waited. */
  readonly backlog: number
  readonly terabytes: number
}

/** Deliveries a second of one database: by its cores, or by what is written alone. */
const MOST = Math.min((CORES * 1e6) / (COST_US + GROUP_US / MOST_IN_A_GROUP), 1e3 / (ALONE * ALONE_MS))

export function capacity(): readonly Sized[] {
  const rates = ratesOfNumbers()
  return [4, 6, 8, 12, 16].flatMap((databases) =>
    (['by hash', 'by load'] as const).map((placed) => size(rates, databases, placed)),
  )
}

function size(rates: readonly number[], databases: number, placed: Sized['placed']): Sized {
  const loads = placed === 'by hash' ? byHash(rates, databases) : byLoad(rates, databases)
  const most = Math.max(...loads)
  const { median, late } = most < MOST ? answers(most) : { median: Number.NaN, late: Number.NaN }
  const kept = [WITH_BYTES, WITHOUT_BYTES].reduce((sum, { days, bytes }) => sum + days * 86_400 * bytes, 0)
  return {
    databases,
    placed,
    busiest: most / MOST,
    median,
    late,
    backlog: most >= MOST ? Number.POSITIVE_INFINITY : (60 * most) / (MOST - most),
    terabytes: (most * kept) / 1e12,
  }
}

/** A few numbers are a bank's, most are a shop's: the one at place n has the n-th part of the first one's rate. */
function ratesOfNumbers(): readonly number[] {
  const parts = Array.from({ length: NUMBERS }, (_, index) => 1 / (index + 1))
  const sum = parts.reduce((all, part) => all + part, 0)
  return parts.map((part) => (part / sum) * RATE)
}

function idle(databases: number): number[] {
  return Array.from({ length: databases }, () => 0)
}

function byHash(rates: readonly number[], databases: number): number[] {
  const random = createRandom(7)
  return rates.reduce((loads, rate) => {
    const at = Math.floor(random() * databases)
    loads[at] = (loads[at] ?? 0) + rate
    return loads
  }, idle(databases))
}

/** The next largest number goes where the least is. */
function byLoad(rates: readonly number[], databases: number): number[] {
  return rates.reduce((loads, rate) => {
    const at = loads.indexOf(Math.min(...loads))
    loads[at] = (loads[at] ?? 0) + rate
    return loads
  }, idle(databases))
}

/**
 * Deliveries come by chance to the receivers of one database. Each puts what came during its last group into the next one, and
 * a group takes its round trips, its share of the cores, and the sync.
 */
function answers(rate: number): { median: number; late: number } {
  const random = createRandom(11)
  const waits: number[] = []
  const share = rate / RECEIVERS
  // Others at work on the same server slow a group down, the more the less is idle.
  const slowed = 1 / Math.max(0.02, 1 - rate / MOST)
  let arrival = 0
  let free = 0
  const queue: number[] = []
  for (let groups = 0; groups < 4_000; groups++) {
    const begins = Math.max(free, queue[0] ?? arrival)
    while (arrival <= begins || queue.length === 0) {
      queue.push(arrival)
      arrival += (-Math.log(1 - random()) / share) * 1_000
    }
    const start = Math.max(free, queue[0] ?? 0)
    const group = queue.splice(0, Math.min(MOST_IN_A_GROUP, queue.filter((at) => at <= start).length || 1))
    free = start + ((GROUP_US + group.length * ACCEPT_US) / 1_000) * slowed + SYNC_MS
    for (const at of group) waits.push(free - at)
  }
  const sorted = waits.toSorted((a, b) => a - b)
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, late: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
}

/** The same chance at each run. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

export function capacityText(): string {
  const rows = capacity().map(({ databases, placed, busiest, median, late, backlog, terabytes }) =>
    [
      databases,
      placed,
      `${percent(busiest)} %`,
      ...(busiest < 1 ? [median.toFixed(0), late.toFixed(0), backlog.toFixed(0)] : ['-', '-', 'never']),
      terabytes.toFixed(1),
    ].join(' | '),
  )
  return [
    '| databases | numbers are placed | the busiest one’s load | answer, the median, ms | 99 of 100, ms | a minute’s backlog is gone after, s | its size, TB |',
    '|---:|---|---:|---:|---:|---:|---:|',
    ...rows.map((row) => `| ${row} |`),
    '',
    `${RATE.toLocaleString('en')} deliveries a second, each with a reply, of ${NUMBERS.toLocaleString('en')} numbers, of which the largest has ${percent((ratesOfNumbers()[0] ?? 0) / RATE)} % and the hundredth a hundredth of that. A server has ${CORES} cores; a delivery costs it ${COST_US.toLocaleString('en')} µs of CPU, and ${percent(ALONE)} in 100 have something written alone, ${ALONE_MS} ms long; a commit is on two disks after ${SYNC_MS} ms; ${RECEIVERS} receivers for each database. So one database does ${Math.floor(MOST).toLocaleString('en')} a second at most. All of these are assumptions: put your own figures into \`test/bench/postgres/capacity.ts\`.`,
  ].join('\n')
}

function percent(part: number): string {
  return (100 * part).toFixed(0)
}

export function writeCapacity(): void {
  writeSection('scaling.md', { name: 'capacity', by: 'npm run bench:postgres -- capacity' }, capacityText())
}
