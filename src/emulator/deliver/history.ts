import { ATTEMPTS_KEPT_MS, EVENTS_KEPT_MS, PRUNE_EVERY_MS } from '../events/log.ts'
import type { Attempt, Delivery } from './delivery.ts'

/** The deliveries that are still known: attempts for 7 days, deliveries as long as their event (DEL-13). */
export interface History {
  add(delivery: Delivery): void
  byId(id: string): Delivery | undefined
  /** Oldest first. */
  list(): readonly Delivery[]
  record(delivery: Delivery, attempt: Attempt): void
  /** Must be called after each change of a delivery; calls those who watch. */
  changed(delivery: Delivery): void
  watch(listener: (delivery: Delivery) => void): () => void
  unwatchAll(): void
  /** Forgets what is too old, unless that was done a moment ago. */
  pruneInTime(): void
}

/** `now` is the emulator's clock. */
export function createHistory(now: () => number): History {
  const deliveries = new Map<string, Delivery>()
  const listeners = new Set<(delivery: Delivery) => void>()
  let prunedAt = now()

  const prune = () => {
    prunedAt = now()
    for (const delivery of deliveries.values()) {
      if (delivery.state !== 'pending' && prunedAt - delivery.at > EVENTS_KEPT_MS) deliveries.delete(delivery.id)
      else dropAttempts(delivery, prunedAt)
    }
  }

  const pruneInTime = () => {
    if (Math.abs(now() - prunedAt) >= PRUNE_EVERY_MS) prune()
  }

  return {
    add: (delivery) => void deliveries.set(delivery.id, delivery),
    byId(id) {
      pruneInTime()
      return deliveries.get(id)
    },
    list() {
      prune()
      return [...deliveries.values()]
    },
    record(delivery, attempt) {
      delivery.attempts = [...delivery.attempts, attempt]
    },
    changed(delivery) {
      for (const listener of listeners) listener(delivery)
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    unwatchAll: () => listeners.clear(),
    pruneInTime,
  }
}

function dropAttempts(delivery: Delivery, now: number): void {
  const kept = delivery.attempts.filter(({ at }) => now - at <= ATTEMPTS_KEPT_MS)
  if (kept.length === delivery.attempts.length) return
  delivery.attempts = kept
  if (kept.length === 0) delivery.lastSigned = undefined
}
