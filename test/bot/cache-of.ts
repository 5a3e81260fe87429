import { inspect } from 'node:util'
import { createNumberCache } from '../../src/bot/number-cache.ts'
import { manualTimers } from './in/time.ts'

export interface Tenant {
  readonly secret: string
}

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** A cache over tenants that a test changes, with time that a test lets pass. */
export function cacheOf(tenants: Record<string, Tenant>) {
  const timers = manualTimers()
  const time = { now: 0 }
  const asked: string[] = []
  const told: string[] = []
  const source = { find: async (name: string): Promise<unknown> => tenants[name] }
  const cache = createNumberCache<Tenant>({
    find(name) {
      asked.push(name)
      return source.find(name)
    },
    read(_name, found) {
      if (typeof (found as Tenant).secret !== 'string') throw new Error('secret: expected some text')
      return { ...(found as Tenant) }
    },
    freshForMs: MINUTE,
    keptForMs: 24 * HOUR,
    clock: { monotonic: () => time.now },
    timers: timers.timers,
    failed: (name, why, failures) => void told.push(`${name}: ${why} (${failures})`),
  })
  return {
    ...cache,
    asked,
    told,
    time,
    timers,
    source,
    /** Lets time pass, and a millisecond: the cache's spans end after their last one. */
    pass(ms: number): void {
      time.now += ms + 1
      timers.pass(ms)
    },
    /** The secret by which the number would be used, or why it cannot be. */
    secretOf: (name: string) => cache.get(name).then((found) => found?.secret ?? 'nobody', String),
  }
}

/** Resolves when all that was begun and waits for no timer has been done. */
export const rest = () => new Promise(setImmediate)

/** A source that does not answer until the test lets it. */
export function heldSource() {
  const held: { name: string; answer(found: unknown): void; fail(error: unknown): void }[] = []
  return {
    held,
    find: (name: string) =>
      new Promise<unknown>((answer, fail) => {
        held.push({ name, answer, fail })
      }),
  }
}

export const shown = (value: unknown) => inspect(value, { depth: 9, showHidden: true })
