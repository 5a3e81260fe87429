import type { AttemptOutcome, DeliveryView } from './deliver/delivery.ts'
import type { SubscriptionView } from './deliver/subscriptions.ts'
import type { PublishedEvent } from './events/event.ts'
import type { VisibleChange } from './model/model.ts'
import { type HttpAnswer, type HttpRequest, refuse } from './http/messages.ts'
import { iso } from './model/emulated-clock.ts'

/** An entry of `GET /_emulator/timeline` and `GET /_emulator/stream`. */
export type Happening = Happened & { readonly id: string; readonly at: string }

export type Happened =
  | {
      readonly kind: 'api'
      readonly call: string
      readonly method: string
      readonly path: string
      readonly status: number
      readonly code: string | null
      readonly tookMs: number
      readonly customer: string | null
      /** The fault of the transport that replaced the answer: `cut` or `never`. */
      readonly spoilt?: string
    }
  | {
      readonly kind: 'control'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly code?: string | null
    }
  | VisibleChange
  | { readonly kind: 'event'; readonly event: PublishedEvent }
  | { readonly kind: 'delivery'; readonly delivery: DeliveryChange }
  | { readonly kind: 'subscription'; readonly subscription: SubscriptionView }
  /** The reader must read everything again: the emulator was reset, or entries that the reader missed were dropped. */
  | { readonly kind: 'resync' }

export type DeliveryChange = Pick<DeliveryView, 'id' | 'event' | 'customer' | 'message' | 'state'> & {
  readonly attempts: number
  readonly status?: string
  readonly last?: AttemptOutcome
}

export type Timeline = ReturnType<typeof createTimeline>

const KEPT = 20_000

/** `mark` begins the ids of all entries. It identifies the run of the emulator. */
export function createTimeline(now: () => number, mark: string) {
  const kept: Happening[] = []
  const listeners = new Set<(entry: Happening) => void>()
  let count = 0
  const entryOf = (happened: Happened): Happening => ({ ...happened, id: `${mark}-${count}`, at: iso(now()) })
  return {
    add(happened: Happened): void {
      count++
      const entry = entryOf(happened)
      kept.push(entry)
      if (kept.length > KEPT) kept.shift()
      for (const listener of listeners) listener(entry)
    },
    list: (): readonly Happening[] => [...kept],
    /** Undefined for an unknown id: of an earlier run, or of an entry that was dropped. */
    since(id: string): readonly Happening[] | undefined {
      const at = kept.findIndex((entry) => entry.id === id)
      return at === -1 ? undefined : kept.slice(at + 1)
    },
    watch(listener: (entry: Happening) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    resync: () => entryOf({ kind: 'resync' }),
  }
}

/**
 * Answers with server-sent events: the entries that the reader missed since `Last-Event-ID` (or `?after=`; empty: since
 * the beginning), then every new one. If missed entries are no longer available, a `resync` comes first.
 */
export function streamTimeline(timeline: Timeline, request: HttpRequest): HttpAnswer {
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
      return timeline.watch((entry) => write(frame(entry)))
    },
  }
}

function missedSince(timeline: Timeline, lastId: string | undefined): readonly Happening[] {
  if (lastId === undefined) return []
  return lastId === '' ? timeline.list() : (timeline.since(lastId) ?? [timeline.resync()])
}

function frame(entry: Happening): string {
  return `id: ${entry.id}\nevent: ${entry.kind}\ndata: ${JSON.stringify(entry)}\n\n`
}
