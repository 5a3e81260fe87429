import type { Timers } from '../base/clock.ts'
import { type HttpAnswer, type HttpRequest, refuse } from './http/messages.ts'
import { iso } from './model/clock.ts'

/** Something that happened, as `GET /_emulator/timeline` and `GET /_emulator/stream` show it. */
export type TimelineEntry = {
  /** The mark of the run, and a number that grows. */
  readonly id: string
  readonly kind: TimelineKind
  readonly at: string
  readonly [about: string]: unknown
}

/**
 * `api`: a call of the API was answered. `control`: a change through the control API, with what it changed if that is no
 * secret. `thread`: an item on a phone is new or changed. `handset`: a handset was switched. `window`: a customer opened
 * it. `clock`: it was moved. `event`, `delivery`, `subscription`, `agent`: as in their routes. `resync`: everything may
 * have changed, or what was missed is no longer known.
 */
type TimelineKind =
  | 'api'
  | 'control'
  | 'thread'
  | 'handset'
  | 'window'
  | 'clock'
  | 'event'
  | 'delivery'
  | 'subscription'
  | 'agent'
  | 'resync'

export interface Timeline {
  add(kind: TimelineKind, about?: object): void
  /** All entries that are kept, oldest first. */
  list(): readonly TimelineEntry[]
  /** The entries after the one with that id; undefined if they are no longer known. */
  since(id: string): readonly TimelineEntry[] | undefined
  /** Calls `listener` with every entry from now on; the returned function stops that. */
  watch(listener: (entry: TimelineEntry) => void): () => void
  /** A `resync` entry for a single reader who missed too much; it is not added. */
  resync(): TimelineEntry
}

/** How many entries are kept for readers who come late or come back. */
const KEPT = 20_000

/** A stored entry: most entries are never shown to anybody. */
interface KeptEntry {
  readonly number: number
  readonly kind: TimelineKind
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly about: object
}

/** `mark` tells the runs apart: an id of an earlier run means nothing in this one. */
export function createTimeline(now: () => number, mark: string): Timeline {
  const kept: KeptEntry[] = []
  const listeners = new Set<(entry: TimelineEntry) => void>()
  let count = 0
  const view = ({ number, kind, at, about }: KeptEntry): TimelineEntry => ({
    ...about,
    id: `${mark}-${number}`,
    kind,
    at: iso(at),
  })
  return {
    add(kind, about = {}) {
      count++
      const entry = { number: count, kind, at: now(), about }
      kept.push(entry)
      // Many are dropped at once, since taking single elements off the front of a long array is slow.
      if (kept.length > KEPT * 1.1) kept.splice(0, kept.length - KEPT)
      if (listeners.size === 0) return
      const shown = view(entry)
      for (const listener of listeners) listener(shown)
    },
    list: () => kept.slice(-KEPT).map(view),
    since(id) {
      const [, seen] = id.startsWith(`${mark}-`) ? (/-(\d{1,15})$/.exec(id) ?? []) : []
      const missed = count - Number(seen)
      return missed >= 0 && missed <= Math.min(kept.length, KEPT)
        ? kept.slice(kept.length - missed).map(view)
        : undefined
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    resync: () => view({ number: count, kind: 'resync', at: now(), about: {} }),
  }
}

/** How often a sign of life is written, so that no proxy takes the connection for a dead one. */
const HEARTBEAT_MS = 15_000

/**
 * Answers with server-sent events: the entries that the reader missed since `Last-Event-ID` (or `?after=`; empty: since
 * the beginning), then every new one. If the missed entries are no longer known, a `resync` comes first.
 */
export function streamTimeline(timeline: Timeline, timers: Timers, request: HttpRequest): HttpAnswer {
  if (request.method !== 'GET') throw refuse(405, 'method_not_allowed', 'The method must be GET.', { Allow: 'GET' })
  const header = request.headers['last-event-id']
  const lastId = typeof header === 'string' ? header : (request.query.get('after') ?? undefined)
  return {
    status: 200,
    body: '',
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' },
    stream(write) {
      write(': this is an emulator\n\n')
      for (const missed of missedSince(timeline, lastId)) write(frame(missed))
      const unwatch = timeline.watch((entry) => write(frame(entry)))
      let stopHeartbeat = () => {}
      const heartbeat = () => {
        stopHeartbeat = timers.after(HEARTBEAT_MS, () => {
          write(':\n\n')
          heartbeat()
        })
      }
      heartbeat()
      return () => {
        unwatch()
        stopHeartbeat()
      }
    },
  }
}

function missedSince(timeline: Timeline, lastId: string | undefined): readonly TimelineEntry[] {
  if (lastId === undefined) return []
  return lastId === '' ? timeline.list() : (timeline.since(lastId) ?? [timeline.resync()])
}

/** One frame of the stream. One `data:` line is enough for any text: JSON escapes its line ends. */
function frame(entry: TimelineEntry): string {
  return `id: ${entry.id}\nevent: ${entry.kind}\ndata: ${JSON.stringify(entry)}\n\n`
}
