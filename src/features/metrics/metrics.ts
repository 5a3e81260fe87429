import type { IncomingMessage, ServerResponse } from 'node:http'
import { Gauge, Registry } from 'prom-client'
import { STATE_GAUGES } from '../../bot/built-in-parts.ts'
import { type AnyBot, type BotInternals, type Gauges, internalsOf } from '../../bot/bot-internals.ts'
import type { Hooks } from '../../bot/report/observers.ts'
import { eventMetrics } from './event-metrics.ts'

export interface Observable extends AnyBot {
  observe(hooks: Hooks): unknown
}

export interface MetricsOptions {
  /** The app's own registry. Default: a new one. A registry can contain the metrics of one bot only. */
  register?: Registry
}

export interface Metrics {
  readonly register: Registry
  /** Answers a scrape, as Express middleware or in a server of `node:http`. */
  handler(request: IncomingMessage, response: ServerResponse): void
}

/**
 * Collects the metrics of a bot: docs/metrics.md lists them. Call it once for each bot, before or after its start.
 *
 * ```ts
 * const metrics = collectMetrics(bot)
 * app.get('/metrics', metrics.handler)
 * ```
 *
 * @throws Error of `prom-client` if the registry already has metrics with these names.
 */
export function collectMetrics(bot: Observable, { register = new Registry() }: MetricsOptions = {}): Metrics {
  const internals = internalsOf(bot)
  registerGauges(internals, register)
  internals.add({ name: 'collectMetrics', hooks: eventMetrics(register) })
  return { register, handler: (_request, response) => void answerScrape(register, response) }
}

async function answerScrape(register: Registry, response: ServerResponse): Promise<void> {
  try {
    const text = await register.metrics()
    response.setHeader('content-type', register.contentType)
    // A connection that the scraper keeps open would keep the process of a stopped bot alive.
    response.shouldKeepAlive = false
    response.end(text)
  } catch {
    // One of the app's own metrics failed. The scraper must not see its error.
    response.statusCode = 500
    response.end()
  }
}

/** Registers gauges that are read at each scrape. They have no value while the bot is not started. */
function registerGauges(internals: Pick<BotInternals, 'gauges' | 'role'>, register: Registry): void {
  const read = sharedReading(async () => internals.gauges())
  const started: GaugeRow = {
    name: 'started',
    help: '1 while the bot is started, by the role of this process.',
    labels: ['role'],
    values: () => {
      const role = internals.role()
      return role && by('role', { [role]: 1 })
    },
  }
  const gauge = ({ name, help, labels = [], values }: GaugeRow) =>
    new Gauge({
      name: `switchhook_${name}`,
      help,
      labelNames: labels,
      registers: [register],
      async collect() {
        const now = await read()
        const shown = now && values(now)
        this.reset()
        // prom-client would show a gauge that has no labels and no value as 0, so remove it.
        if (shown === undefined) return labels.length === 0 ? this.remove() : undefined
        if (typeof shown === 'number') return this.set(shown)
        for (const [of, count] of shown) this.set({ ...of }, count)
      },
    })
  for (const row of [started, ...GAUGES]) gauge(row)
}

interface GaugeRow {
  readonly name: string
  readonly help: string
  readonly labels?: string[]
  values(now: Gauges): readonly Sample[] | number | undefined
}

const GAUGES: readonly GaugeRow[] = [
  {
    name: 'lanes_in_hand',
    help: 'Lanes that this process works on now.',
    labels: ['work'],
    values: ({ lanes: { items, sends } }) => by('work', { items, sends }),
  },
  {
    name: 'failures_in_a_row',
    help: 'Deliveries in a row not acknowledged; at 20 the service disables the endpoint.',
    values: ({ failuresInARow }) => failuresInARow,
  },
  {
    name: 'database_waiting',
    help: 'Deliveries to ingest, items and sends that are not settled.',
    labels: ['what'],
    values: ({ database }) => database && by('what', { ...database.waiting }),
  },
  {
    name: 'database_oldest_waiting_seconds',
    help: 'How long the next message has waited; 0 if none waits.',
    values: ({ database }) => database && database.waitedMs / 1_000,
  },
  {
    name: 'database_throttled_numbers',
    help: 'Numbers that are stopped or paused.',
    labels: ['state', 'number'],
    values: ({ database }) =>
      database &&
      byNumber(
        'state',
        ['stopped', 'paused'],
        database.throttled.map(({ number, stopped }) => [stopped ? 'stopped' : 'paused', number, 1]),
      ),
  },
  {
    name: 'database_needs_person',
    help: 'Rows and customers that wait for a person, by what they are.',
    labels: ['what', 'number'],
    values: ({ database }) =>
      database &&
      byNumber(
        'what',
        NEEDS_PERSON,
        database.needsPerson.map(({ what, number, count }) => [what, number, count]),
      ),
  },
  ...STATE_GAUGES.map(({ name, help }) => ({
    name: `database_${name}`,
    help,
    labels: ['state'],
    values: ({ database }: Gauges) => database && by('state', database.states[name] ?? {}),
  })),
  { name: 'database_bytes', help: 'The size of the SQLite file.', values: ({ database }) => database?.files?.bytes },
  {
    name: 'database_log_bytes',
    help: "The size of SQLite's write-ahead log.",
    values: ({ database }) => database?.files?.logBytes,
  },
  {
    name: 'database_backup_age_seconds',
    help: 'Since the last backup of the SQLite file by Switchhook.',
    values: ({ database }) => {
      const ageMs = database?.files?.backupAgeMs
      return ageMs === undefined ? undefined : ageMs / 1_000
    },
  },
]

function by(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([value, count]) => [{ [label]: value }, count])
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number]

const NEEDS_PERSON = ['dead', 'parked', 'quarantined', 'conflict', 'suspected_replay', 'held', 'unknown', 'customers']

/** With more numbers than this, their values are added up: a label for each number would be too many time series. */
const MOST_NUMBERS = 50

/** Adds counts up by kind and number. Each kind has a sample with an empty number, so that it shows 0 without rows. */
function byNumber(
  label: string,
  kinds: readonly string[],
  rows: readonly (readonly [kind: string, number: string, count: number])[],
): Sample[] {
  const names = new Set(rows.map(([, number]) => number))
  const sums = new Map<string, Sample>()
  for (const [kind, name, count] of [...kinds.map((kind) => [kind, '', 0] as const), ...rows]) {
    // A name with `+` names a subscription of several numbers. It counts for the empty number.
    const number = names.size > MOST_NUMBERS || name.includes('+') ? '' : name
    const key = JSON.stringify([kind, number])
    sums.set(key, [{ [label]: kind, number }, (sums.get(key)?.[1] ?? 0) + count])
  }
  return [...sums.values()]
}

/** All gauges of one scrape share one reading. */
function sharedReading<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined
  return () =>
    (reading ??= read().finally(() => {
      reading = undefined
    }))
}
