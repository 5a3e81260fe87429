import type { SeenFact, SeenPayloads, SeenShape } from '../stores/port/index.ts'
import { iso } from './iso.ts'

/** The payloads of an event as they were seen: paths, types and counts, and no value. */
export interface EventReport {
  /** Empty: events for which there was no room, together. */
  readonly event: string
  readonly deliveries: number
  readonly messages: number
  readonly since: string | undefined
  readonly facts: readonly FactReport[]
  readonly shapes: readonly ShapeReport[]
}

export interface FactReport {
  readonly fact: string
  /** In how many of the messages. */
  readonly found: number
  readonly of: number
  readonly places: readonly {
    readonly path: string
    readonly how: string
    readonly found: number
    readonly sure: number
    readonly since: string | undefined
    readonly last: string | undefined
  }[]
  readonly doubts: readonly {
    readonly path: string
    readonly doubt: string
    readonly seen: number
    readonly since: string | undefined
    readonly last: string | undefined
  }[]
}

export interface ShapeReport {
  /** Empty: shapes for which there was no room, together. */
  readonly fingerprint: string
  readonly deliveries: number
  readonly messages: number
  readonly since: string | undefined
  readonly last: string | undefined
  readonly paths: readonly string[]
  /** The paths are not all. */
  readonly truncated: boolean
}

/** Facts without which little can be done: each is reported, also if no message had it. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'message.received': ['customer', 'messageId', 'at', 'kind', 'text'],
  'message.status': ['customer', 'messageId', 'at', 'status'],
}

const WAYS: ReadonlySet<string> = new Set(['mapped', 'locked', 'guessed', 'inferred'])

export function reportOf({ shapes, facts }: SeenPayloads): EventReport[] {
  const events = [...new Set(shapes.map(({ event }) => event))].sort()
  return events.map((event) => {
    const own = shapes.filter((shape) => shape.event === event)
    const messages = sum(own.map((shape) => shape.messages))
    const found = facts.filter((fact) => fact.event === event)
    const names = new Set([...(NEEDED[event] ?? []), ...found.map(({ fact }) => fact).sort()])
    return {
      event,
      deliveries: sum(own.map((shape) => shape.deliveries)),
      messages,
      since: timeOf(Math.min(...own.map(({ firstAt }) => firstAt))),
      facts: [...names].map((name) =>
        factReport(
          name,
          messages,
          found.filter(({ fact }) => fact === name),
        ),
      ),
      shapes: own.sort((a, b) => b.deliveries - a.deliveries).map(shapeReport),
    }
  })
}

function factReport(fact: string, of: number, rows: readonly SeenFact[]): FactReport {
  const sorted = [...rows].sort((a, b) => b.seen - a.seen)
  const places = sorted.filter(({ how }) => WAYS.has(how))
  const doubts = sorted.filter(({ how }) => !WAYS.has(how))
  return {
    fact,
    found: sum(places.map(({ seen }) => seen)),
    of,
    places: places.map(({ path, how, seen, sure, ...times }) => ({ path, how, found: seen, sure, ...spanOf(times) })),
    doubts: doubts.map(({ path, how, seen, ...times }) => ({ path, doubt: how, seen, ...spanOf(times) })),
  }
}

function shapeReport({ fingerprint, deliveries, messages, paths, truncated, ...times }: SeenShape): ShapeReport {
  return { fingerprint, deliveries, messages, ...spanOf(times), paths, truncated }
}

function spanOf({ firstAt, lastAt }: { readonly firstAt: number; readonly lastAt: number }) {
  return { since: timeOf(firstAt), last: timeOf(lastAt) }
}

/** Of recorded deliveries no time is counted. */
function timeOf(at: number): string | undefined {
  return at === 0 ? undefined : iso(at)
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
