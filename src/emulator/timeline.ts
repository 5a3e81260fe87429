import type { Happened, Happening } from './happening.ts'
import { type HttpAnswer, type HttpRequest, refuse } from './http/messages.ts'
import { iso } from './model/emulated-clock.ts'

export type Timeline = ReturnType<typeof createTimeline>

const KEPT = 20_000

/** `mark` identifies the run of the emulator. Ids of an earlier run are unknown in this run. */
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
