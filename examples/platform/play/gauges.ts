/** Gauges of the processes, by the metrics that Prometheus would scrape. */
export interface Watched {
  readonly name: string
  /** The address of its inner port. */
  readonly url: string
}

export interface Gauges {
  readonly name: string
  /** Undefined if the process does not answer. */
  readonly rates: Rates | undefined
}

/** By the second, since the last look. */
interface Rates {
  readonly stored: number
  readonly handled: number
}

export interface Look {
  readonly processes: readonly Gauges[]
  /** The items in the database that are not settled; undefined if no process tells. */
  readonly waiting: number | undefined
}

export function isUp({ url }: Watched): Promise<boolean> {
  return get(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Gives a function that looks at all processes. */
export function watch(processes: readonly Watched[]): () => Promise<Look> {
  const before = new Map<string, Counted>()
  return async () => {
    const scrapes = await Promise.all(processes.map(({ url }) => scrape(url).catch(() => undefined)))
    return {
      processes: processes.map(({ name }, at) => ({ name, rates: ratesOf(name, scrapes[at], before) })),
      // All processes read it from the database, so it is no sum.
      waiting: scrapes.find((sum) => sum !== undefined)?.('switchhook_database_waiting{what="items"'),
    }
  }
}

/** Gives the sum of all values whose lines begin with a text. */
type Sum = (begin: string) => number

interface Counted extends Rates {
  readonly at: number
}

async function scrape(url: string): Promise<Sum> {
  const lines = (await (await get(`${url}/metrics`)).text()).split('\n')
  return (begin) =>
    lines
      .filter((line) => line.startsWith(begin))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

function ratesOf(name: string, sum: Sum | undefined, before: Map<string, Counted>): Rates | undefined {
  const last = before.get(name)
  before.delete(name)
  if (!sum) return undefined
  const now = {
    at: performance.now(),
    stored: sum('switchhook_deliveries_total'),
    handled: sum('switchhook_attempts_total{outcome="handled"'),
  }
  before.set(name, now)
  // The counts of a process that came back begin at 0.
  const rate = (what: keyof Rates) =>
    last && now[what] >= last[what] ? ((now[what] - last[what]) * 1_000) / (now.at - last.at) : 0
  return { stored: rate('stored'), handled: rate('handled') }
}

function get(url: string): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(2_000) })
}
