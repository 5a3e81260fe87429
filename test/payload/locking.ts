import { Lock, lockText, parseLock, type PayloadContext, readBody, type View } from '../../src/payload/index.ts'
import { type Choice, makeLock } from '../../src/payload/make-lock.ts'
import { sightingsIn } from '../../src/payload/sightings.ts'
import { bytesOf, NOW } from './reading.ts'

export const FILE = './payload.lock.json'

/** The lock that is made of these payloads, by way of its file; facts that are in doubt are guessed. */
export function lockOf(
  event: string,
  bodies: readonly unknown[],
  choices: readonly Omit<Choice, 'event'>[] = [],
): Lock {
  const seen = sightingsIn(bodies.map((body) => ({ event, body: bytesOf(body) })))
  const chosen = choices.map((choice) => ({ event, ...choice }))
  const { doubts } = makeLock(seen, chosen)
  const left = doubts.map(({ fact }) => ({ event, fact, paths: [] }))
  const { lock } = makeLock(seen, [...chosen, ...left])
  // A lock of nothing is not written.
  return new Lock(Object.keys(lock.events).length > 0 ? parseLock(lockText(lock), FILE) : lock, FILE)
}

/** Reads a body under a lock. */
export function lockedViews(
  lock: Lock,
  event: string,
  body: unknown,
  more: Partial<PayloadContext> = {},
): readonly View[] {
  const result = readBody(bytesOf(body), {
    event,
    deliveryId: undefined,
    now: NOW,
    ...more,
    lock: lock.of(event),
  })
  if ('refused' in result) throw new Error(`refused: ${result.refused.code}`)
  return result.views
}
