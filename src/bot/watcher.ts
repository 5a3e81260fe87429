import { isRecord } from '../base/value.ts'
import type { Answer } from './inbox/http.ts'
import type { AttemptResult } from './outbox/outcome.ts'
import type { NewDelivery } from '../store/inbox/accept.ts'
import type { SendRow } from '../store/database/outbox-tables.ts'
import type { StartedItem } from '../store/work/items.ts'
import type { Settlement } from '../store/work/settle.ts'

/** The work that a watcher may follow: what it is about, and how it ends. */
export interface WatchedWork {
  /** A request, from its headers to its answer. */
  receive: { of: undefined; end: Answer }
  /** Storing a delivery's items. */
  ingest: { of: Pick<NewDelivery, 'event' | 'deliveryId' | 'trace'>; end: unknown }
  /** One attempt at an item, with all its handlers. */
  attempt: { of: StartedItem; end: { settlement: Settlement; route: string | undefined; error: unknown } }
  send: { of: SendRow; end: AttemptResult }
}

export type WorkName = keyof WatchedWork

/** Follows a bot's work while it runs. Most bots have no watcher. */
export interface Watcher {
  begins<W extends WorkName>(work: W, of: WatchedWork[W]['of']): Watching<W>
  /** The W3C trace context of the work that runs now, which is stored with each send. */
  current(): string | undefined
}

export interface Watching<W extends WorkName = WorkName> {
  /** W3C trace context: `traceparent`, and after a space `tracestate` if there is one. Undefined if nothing is recorded. */
  readonly context: string | undefined
  /** Runs the work. Work that begins inside belongs to it. */
  within<T>(run: () => T): T
  /** Call this when the request has been read as this delivery. */
  reads(delivery: Pick<NewDelivery, 'event' | 'deliveryId' | 'subscription'>): void
  /** @param end undefined if the work threw. */
  ends(end: WatchedWork[W]['end'] | undefined): void
}

export const UNWATCHED: Watching = { context: undefined, within: (run) => run(), reads() {}, ends() {} }

export function watch<W extends WorkName, T extends WatchedWork[W]['end']>(
  watcher: Watcher | undefined,
  [work, of]: readonly [W, WatchedWork[W]['of']],
  run: (watching: Watching<W>) => Promise<T>,
): Promise<T> {
  return watcher ? watchToEnd(watcher.begins(work, of), run) : run(UNWATCHED)
}

async function watchToEnd<W extends WorkName, T extends WatchedWork[W]['end']>(
  watching: Watching<W>,
  run: (watching: Watching<W>) => Promise<T>,
): Promise<T> {
  let result: T | undefined
  try {
    return (result = await watching.within(() => run(watching)))
  } finally {
    watching.ends(result)
  }
}

/** Returns the member `trace_id` of a log line, by OpenTelemetry's name. Empty without a W3C trace context. */
export function traceIdOf(context: string | undefined): { readonly trace_id?: string } {
  const id = context?.split('-', 2)[1]
  return id === undefined ? {} : { trace_id: id }
}

/** Runs a report, a hook or a watcher. If it throws, only the log shows it. Nothing else changes. */
export type Guard = <T>(run: () => T) => T | undefined

/** Wraps all functions of an object, and of its members, in a guard. */
export function guarded<T>(reports: T, guard: Guard): T {
  if (typeof reports === 'function') return ((...given: unknown[]) => guard(() => reports(...given) as unknown)) as T
  if (!isRecord(reports)) return reports
  return Object.fromEntries(Object.entries(reports).map(([name, one]) => [name, guarded(one, guard)])) as T
}

/** Wraps a watcher, so that an error in it has no effect on the work that it follows. */
export function guardedWatcher(watcher: Watcher, guard: Guard): Watcher {
  return {
    begins(work, of) {
      const watching = guard(() => watcher.begins(work, of)) ?? UNWATCHED
      return watching === UNWATCHED ? watching : guardedWatching(watching, guard)
    },
    current: () => guard(() => watcher.current()),
  }
}

function guardedWatching<W extends WorkName>(watching: Watching<W>, guard: Guard): Watching<W> {
  return {
    context: guard(() => watching.context),
    within<T>(run: () => T): T {
      let ended: (() => T) | undefined
      guard(() => watching.within(() => void (ended = outcomeOf(run))))
      return (ended ?? outcomeOf(run))()
    },
    reads: (delivery) => guard(() => watching.reads(delivery)),
    ends: (end) => guard(() => watching.ends(end)),
  }
}

function outcomeOf<T>(run: () => T): () => T {
  try {
    const result = run()
    return () => result
  } catch (error) {
    return () => {
      throw error
    }
  }
}
