import type { Timers } from '../base/clock.ts'
import { type HttpAnswer, type HttpRequest, refuse } from './http/messages.ts'

/** Something that happened, as `GET /_emulator/stream` tells it. */
export type Happening = {
  /** The run's own mark and a number that grows. */
  readonly id: string
  readonly kind: HappeningKind
  readonly at: string
  readonly [about: string]: unknown
}

/**
 * `api`: a call of the API was answered. `control`: a change through the control API, with what it changed where that
 * is no secret. `thread`: something on a phone is new or changed. `handset`: one was switched. `window`: a customer
 * opened it. `clock`: it was moved. `event`, `delivery`, `subscription`, `agent`: as in their routes. `resync`: everything may have changed, or what was missed is no longer known.
 */
export type HappeningKind =
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

export interface Happenings {
  tell(kind: HappeningKind, about?: object): void
  /** All that are kept, oldest first. */
  kept(): readonly Happening[]
  /** What came after the one with that id; undefined where nobody can say any more. */
  since(id: string): readonly Happening[] | undefined
  /** Calls `listener` with everything from now on; the answer stops that. */
  watch(listener: (happening: Happening) => void): () => void
  /** Says that all may have changed, to one who missed too much; the others are not told. */
  resync(): Happening
}

/** So many are kept for those who come, or come back. */
const KEPT = 20_000

/** As it is kept: most happenings are never shown to anybody. */
interface KeptHappening {
  readonly number: number
  readonly kind: HappeningKind
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly about: object
}

/** `mark` tells the runs apart: an id of an earlier run means nothing in this one. */
export function createHappenings(now: () => number, mark: string): Happenings {
  const kept: KeptHappening[] = []
  const listeners = new Set<(happening: Happening) => void>()
  let count = 0
  const shown = ({ number, kind, at, about }: KeptHappening): Happening => ({
    ...about,
    id: `${mark}-${number}`,
    kind,
    at: new Date(at).toISOString(),
  })
  return {
    tell(kind, about = {}) {
      count++
      const happened = { number: count, kind, at: now(), about }
      kept.push(happened)
      // In one go, since the front of a long array is costly to take one by one.
      if (kept.length > KEPT * 1.1) kept.splice(0, kept.length - KEPT)
      if (listeners.size === 0) return
      const happening = shown(happened)
      for (const listener of listeners) listener(happening)
    },
    kept: () => kept.slice(-KEPT).map(shown),
    since(id) {
      const [, seen] = id.startsWith(`${mark}-`) ? (/-(\d{1,15})$/.exec(id) ?? []) : []
      const missed = count - Number(seen)
      return missed >= 0 && missed <= Math.min(kept.length, KEPT)
        ? kept.slice(kept.length - missed).map(shown)
        : undefined
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    resync: () => shown({ number: count, kind: 'resync', at: now(), about: {} }),
  }
}

/** A sign of life, so that nobody on the way takes the connection for a dead one. */
const BEAT_MS = 15_000

/**
 * Server-sent events: what was missed since `Last-Event-ID` (or `?after=`; empty: since the beginning), then everything as it
 * happens. Where what was missed is not known any more, a `resync` comes first.
 */
export function stream(happenings: Happenings, timers: Timers, request: HttpRequest): HttpAnswer {
  if (request.method !== 'GET') throw refuse(405, 'method_not_allowed', 'The method must be GET.', { Allow: 'GET' })
  // A browser sends the header when it comes back; for its first time it has the query alone.
  const header = request.headers['last-event-id']
  const lastId = typeof header === 'string' ? header : (request.query.get('after') ?? undefined)
  return {
    status: 200,
    body: '',
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' },
    stream(write) {
      write(': this is an emulator\n\n')
      for (const missed of missedSince(happenings, lastId)) write(frame(missed))
      const forget = happenings.watch((happening) => write(frame(happening)))
      let stopBeat = () => {}
      const beat = () => {
        stopBeat = timers.after(BEAT_MS, () => {
          write(':\n\n')
          beat()
        })
      }
      beat()
      return () => {
        forget()
        stopBeat()
      }
    },
  }
}

function missedSince(happenings: Happenings, lastId: string | undefined): readonly Happening[] {
  if (lastId === undefined) return []
  return lastId === '' ? happenings.kept() : (happenings.since(lastId) ?? [happenings.resync()])
}

/** JSON has no line ends but escaped ones: so one `data:` line is enough, whatever a customer writes. */
function frame(happening: Happening): string {
  return `id: ${happening.id}\nevent: ${happening.kind}\ndata: ${JSON.stringify(happening)}\n\n`
}
