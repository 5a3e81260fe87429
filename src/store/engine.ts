import type { Timers } from '../base/clock.ts'
import { SwitchhookError } from '../base/errors.ts'
import type { Shared } from './shared.ts'
import type { Steps, Tx, Work } from './steps.ts'

export interface Commit {
  readonly operations: number
  /** Until it was on disk. */
  readonly durationMs: number
}

export interface Engine {
  write<T>(operation: (tx: Tx) => Steps<T>, o?: Writing<T>): Promise<T>
  portion<T>(operation: (tx: Tx) => Steps<T>): Promise<T>
  /** Reads many rows before a portion, and keeps nobody waiting; undefined if a read delays others as a portion does. */
  look?<T>(operation: (tx: Pick<Tx, 'situation'>) => Steps<T>): Promise<T>
  /** If its commit fails, it is repeated. `mayWait`: some milliseconds, for the commit of others. */
  keep<T>(operation: (tx: Tx) => Steps<T>, o?: { readonly mayWait?: boolean } & Shared): Promise<T>
  /** In the order of their payload times. It waits at most `waitMs` for another process. */
  accept<T>(
    operation: (tx: Tx) => Steps<T>,
    o: { readonly at: number | undefined; readonly waitMs?: number } & Writing<T>,
  ): Promise<T>
  read<T>(operation: (tx: Pick<Tx, 'situation'>) => Steps<T>, o?: { readonly long?: boolean }): Promise<T>
  /** One statement that needs no order with others; undefined if it failed. */
  beside?<T>(operation: () => Steps<T>): Promise<T | undefined>
  /** Work may be marked as running that nobody runs. */
  doubt?(): void
}

interface Writing<T> extends Shared {
  /** It often changes nothing: that is found out without a lock, so that others do not stop for it. */
  readonly looks?: boolean
  readonly unwanted?: (late: T) => void
}

/** The store is there for others, and refused this operation alone. */
export class RefusedAlone extends SwitchhookError {
  constructor(message: string, cause: unknown) {
    super('store_unavailable', message, { cause })
  }
}

/** Its own values are refused, such as a text that is too long. Repeated, it would be refused again. */
export class Unstorable extends RefusedAlone {}

export function createListeners() {
  const listeners = new Set<(work: Work | 'doubt') => void>()
  return {
    onWork(listener: (work: Work | 'doubt') => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onWake(work: Work | 'doubt') {
      for (const listener of listeners) unharmed(listener)(work)
    },
  }
}

/** What only watches the store: whatever it throws, a commit stands, and the next one is notified. */
export function unharmed<T>(watch: ((happened: T) => void) | undefined): (happened: T) => void {
  return (happened) => {
    try {
      watch?.(happened)
    } catch {}
  }
}

/** Between two portions the database is free for as long as the first kept it. */
export function createPortions(o: {
  write: Engine['write']
  timers: Timers
  monotonic: () => number
}): Engine['portion'] {
  let free: Promise<unknown> = Promise.resolve()
  return (operation) => {
    let begunAt = 0
    const portion = free.then(() =>
      o.write((tx) => {
        begunAt = o.monotonic()
        return operation(tx)
      }),
    )
    const rest = () => new Promise<void>((resolve) => void o.timers.after(o.monotonic() - begunAt, resolve))
    free = portion.then(rest, () => {})
    return portion
  }
}

export function byPayloadTime<Queued extends { readonly at: number | undefined }>(batch: readonly Queued[]): Queued[] {
  const accepting = batch.filter(({ at }) => at !== undefined).sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
  let next = 0
  return batch.map((operation) => (operation.at === undefined ? operation : (accepting[next++] ?? operation)))
}
