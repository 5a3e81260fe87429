import type { Clock, Timers } from '../base/clock.ts'
import { Observations, type PayloadReading } from '../payload/index.ts'
import type { NewShape, Store } from '../stores/port/index.ts'

/** Counts what payloads look like, and stores that now and then: no delivery costs a statement for it. */
export interface Observation {
  read(event: string, reading: Extract<PayloadReading, { views: unknown }>): void
  /** Stores what was counted. What is read afterwards is lost: the store closes, and a timer would keep the process alive. */
  stop(): Promise<void>
}

/** The longest time that counts wait to be stored; a process that dies loses them. */
const STORE_AFTER_MS = 60_000
/** The same for counts with a shape that this process has not seen before: the shape is told of soon. */
const STORE_NEW_AFTER_MS = 1_000

/** @param o.told is given each shape that no process had seen before, once. */
export function createObservation(o: {
  store: Pick<Store, 'addPayloads'>
  clock: Clock
  timers: Timers
  told: (shape: NewShape) => void
}): Observation {
  const seen = new Observations()
  let cancel: (() => void) | undefined
  let soon = false
  let stopped = false
  let storing: Promise<void> = Promise.resolve()

  function storeAfter(ms: number): void {
    cancel?.()
    cancel = o.timers.after(ms, () => void storeNow())
  }

  function storeNow(): Promise<void> {
    cancel?.()
    cancel = undefined
    soon = false
    // One after the other: while a slow database takes counts, the next ones add up in bounded memory.
    storing = storing.then(async () => {
      if (seen.isEmpty) return
      // A store that cannot be written is told of by what needs it; these counts are lost.
      const added = await o.store.addPayloads(seen.take()).catch(() => [])
      for (const shape of added) o.told(shape)
    })
    return storing
  }

  return {
    read(event, reading) {
      if (stopped) return
      const isNew = seen.add(event, reading, o.clock.wall())
      if (isNew && !soon) {
        soon = true
        storeAfter(STORE_NEW_AFTER_MS)
      } else if (!cancel) storeAfter(STORE_AFTER_MS)
    },
    stop() {
      stopped = true
      return storeNow()
    },
  }
}
