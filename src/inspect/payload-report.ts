import type { SeenFact, SeenPayloads, SeenShape } from '../stores/port/index.ts'
import { iso } from './iso.ts'

/** The payloads of an event as they were seen: paths, types and counts, and no value. */
export type EventReport = ReturnType<typeof reportOf>[number]

/** Facts without which little can be done: each is reported, also if no message had it. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'message.received': ['customer', 'messageId', 'at', 'kind', 'text'],
  'message.status': ['customer', 'messageId', 'at', 'status'],
}

const WAYS: ReadonlySet<string> = new Set(['mapped', 'guessed', 'inferred'])

export function reportOf({ shapes, facts }: SeenPayloads) {
  const events = [...new Set(shapes.map(({ event }) => event))].sort()
  return events.map((event) => {
    const own = shapes.filter((shape) => shape.event === event)
    const messages = sum(own.map((shape) => shape.messages))
    const found = facts.filter((fact) => fact.event === event)
    const names = new Set([...(NEEDED[event] ?? []), ...found.map(({ fact }) => fact).sort()])
    return {
      /** Empty: events for which there was no room, together. */
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

function factReport(fact: string, of: number, rows: readonly SeenFact[]) {
  const sorted = [...rows].sort((a, b) => b.seen - a.seen)
  const places = sorted.filter(({ how }) => WAYS.has(how))
  const doubts = sorted.filter(({ how }) => !WAYS.has(how))
  return {
    fact,
    /** In how many of the messages. */
    found: sum(places.map(({ seen }) => seen)),
    of,
    places: places.map(({ path, how, seen, sure, ...times }) => ({ path, how, found: seen, sure, ...spanOf(times) })),
    doubts: doubts.map(({ path, how, seen, ...times }) => ({ path, doubt: how, seen, ...spanOf(times) })),
  }
}

/** Without a fingerprint: the shapes for which there was no room, together. If it is truncated, the paths are not all. */
function shapeReport({ fingerprint, deliveries, messages, paths, truncated, ...times }: SeenShape) {
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
