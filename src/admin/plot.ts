import type { Hooks, Observed } from '../report/index.ts'
import type { Plot } from './api.ts'

const FIRST_SPAN_MS = 10_000
/** Once there are so many spans, each two of them become one. */
const MOST_SPANS = 180
const MINUTE_MS = 60_000

type Series = Omit<Plot, 'spanMs' | 'from'>
type Counted = Exclude<keyof Series, 'waitedMs'>

/** Counts what the hooks of one process hear. */
export interface Plotter {
  readonly hooks: Hooks
  readonly since: number
  plot(): Plot
  /** Deliveries stored in the last minute. */
  perMinute(): number
}

/** @param now milliseconds since the epoch. */
export function createPlotter(now: () => number): Plotter {
  const since = now()
  let spanMs = FIRST_SPAN_MS
  let series = emptySeries(1)
  /** Times of arrivals within the last minute, by second. */
  const seconds = new Map<number, number>()

  /** The span that is under way; those that nobody counted in are filled up. */
  function present(): number {
    let index = Math.max(0, Math.floor((now() - since) / spanMs))
    while (index >= MOST_SPANS) {
      series = halved(series)
      spanMs *= 2
      index = Math.floor((now() - since) / spanMs)
    }
    for (const values of Object.values(series) as number[][]) while (values.length <= index) values.push(0)
    return index
  }

  const count = (what: Counted) => () => {
    const index = present()
    const values = series[what] as number[]
    values[index] = (values[index] ?? 0) + 1
  }

  function noteWait({ waitedMs = 0 }: Observed): void {
    const index = present()
    const values = series.waitedMs as number[]
    values[index] = Math.max(values[index] ?? 0, Math.round(waitedMs))
  }

  function arrived(): void {
    count('accepted')()
    const second = Math.floor(now() / 1_000)
    seconds.set(second, (seconds.get(second) ?? 0) + 1)
    forgetOld(second)
  }

  function forgetOld(second: number): void {
    for (const [key] of seconds) {
      if (key > second - MINUTE_MS / 1_000) return
      seconds.delete(key)
    }
  }

  const each =
    (...all: readonly ((observed: Observed) => void)[]) =>
    (observed: Observed) => {
      for (const one of all) one(observed)
    }

  return {
    since,
    hooks: {
      accepted: arrived,
      handled: each(count('handled'), noteWait),
      failed: each(count('failed'), noteWait),
      dead: each(count('failed'), noteWait),
      send_accepted: count('sent'),
      send_refused: count('unsent'),
      send_unknown: count('unsent'),
    },
    plot() {
      present()
      return { spanMs, from: since, ...structuredClone(series) }
    },
    perMinute() {
      forgetOld(Math.floor(now() / 1_000))
      return [...seconds.values()].reduce((sum, n) => sum + n, 0)
    },
  }
}

function emptySeries(length: number): Series {
  const zeros = () => Array.from({ length }, () => 0)
  return { accepted: zeros(), handled: zeros(), failed: zeros(), sent: zeros(), unsent: zeros(), waitedMs: zeros() }
}

function halved({ waitedMs, ...counts }: Series): Series {
  const pairs = (values: readonly number[], join: (a: number, b: number) => number) =>
    Array.from({ length: Math.ceil(values.length / 2) }, (_, index) =>
      join(values[2 * index] ?? 0, values[2 * index + 1] ?? 0),
    )
  const sums = Object.fromEntries(
    Object.entries(counts).map(([name, values]) => [name, pairs(values, (a, b) => a + b)]),
  ) as unknown as Omit<Series, 'waitedMs'>
  return { ...sums, waitedMs: pairs(waitedMs, Math.max) }
}
