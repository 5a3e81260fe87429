import type { Attempt, Delivery } from './delivery.ts'
import { ATTEMPTS_KEPT_MS, EVENTS_KEPT_MS, LOOK_EVERY_MS } from './retention.ts'

/** All deliveries that are still known: attempts for 7 days, deliveries as long as their event (DEL-13). */
export interface History {
  add(delivery: Delivery): void
  byId(id: string): Delivery | undefined
  /** Oldest first. */
  list(): readonly Delivery[]
  record(delivery: Delivery, attempt: Attempt): void
  /** Tells those who watch; to be called after each change of a delivery. */
  changed(delivery: Delivery): void
  watch(listener: (delivery: Delivery) => void): () => void
  unwatchAll(): void
  /** Forgets what is too old, where nobody has read for a while. */
  tidy(): void
}

/** `now` is the emulator's clock; `forgotten` is told what is kept no longer, or with fewer attempts. */
export function createHistory(now: () => number, forgotten: (id: string) => void): History {
  const deliveries = new Map<string, Delivery>()
  const listeners = new Set<(delivery: Delivery) => void>()
  let lookedAt = now()

  const prune = () => {
    lookedAt = now()
    for (const delivery of deliveries.values()) {
      const isOver = delivery.state !== 'pending' && lookedAt - delivery.at > EVENTS_KEPT_MS
      if (isOver) deliveries.delete(delivery.id)
      if (isOver || dropAttempts(delivery, lookedAt)) forgotten(delivery.id)
    }
  }

  const tidy = () => {
    if (Math.abs(now() - lookedAt) >= LOOK_EVERY_MS) prune()
  }

  return {
    add: (delivery) => void deliveries.set(delivery.id, delivery),
    byId(id) {
      tidy()
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
    tidy,
  }
}

function dropAttempts(delivery: Delivery, now: number): boolean {
  const kept = delivery.attempts.filter(({ at }) => now - at <= ATTEMPTS_KEPT_MS)
  if (kept.length === delivery.attempts.length) return false
  delivery.attempts = kept
  if (kept.length === 0) delivery.lastSigned = undefined
  return true
}
