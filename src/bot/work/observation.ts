import type { Clock, Timers } from '../../base/clock.ts'
import type { PayloadReading } from '../in/payload/facts.ts'
import type { NewShape, SeenShape } from '../../store/types/types.ts'
import type { Store } from '../../store/store.ts'

export type Observation = ReturnType<typeof createObservation>

const STORE_AFTER_MS = 1_000

// A signed delivery may have any shape. A shape without room here is noticed when it arrives again.
const MOST_WAITING = 64
const MOST_KNOWN = 2_048

/** `told` is called once with each shape that no process had seen. A delivery of a known shape costs no statement. */
export function createObservation(o: {
  store: Pick<Store, 'addShapes'>
  clock: Clock
  timers: Timers
  told: (shape: NewShape) => void
}) {
  const known = new Set<string>()
  let waiting: SeenShape[] = []
  let cancel: (() => void) | undefined
  let stopped = false
  let storing: Promise<void> = Promise.resolve()

  function storeNow(): Promise<void> {
    cancel?.()
    cancel = undefined
    // One after the other: while a slow database stores shapes, the next ones wait in bounded memory.
    storing = storing.then(async () => {
      if (waiting.length === 0) return
      const shapes = waiting
      waiting = []
      try {
        for (const shape of await o.store.addShapes(shapes)) o.told(shape)
      } catch {
        // The store's other users report the failure; the next delivery of each shape tries again.
        for (const shape of shapes) known.delete(nameOf(shape.event, shape.fingerprint))
      }
    })
    return storing
  }

  return {
    read(event: string, reading: Extract<PayloadReading, { views: unknown }>): void {
      if (stopped) return
      const { fingerprint, paths, truncated } = reading.shape()
      const name = nameOf(event, fingerprint)
      if (known.has(name) || waiting.length >= MOST_WAITING) return
      if (known.size >= MOST_KNOWN) known.clear()
      known.add(name)
      waiting.push({ event, fingerprint, paths, truncated, lastAt: o.clock.wall() })
      cancel ??= o.timers.after(STORE_AFTER_MS, () => void storeNow())
    },
    /** Stores the shapes that wait. What is read afterwards is ignored: the store closes. */
    stop(): Promise<void> {
      stopped = true
      return storeNow()
    },
  }
}

function nameOf(event: string, fingerprint: string): string {
  return `${event} ${fingerprint}`
}
