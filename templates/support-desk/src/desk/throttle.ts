/** Slows down who guesses passwords: five wrong ones for a name, and it rests for a minute. */
import { nameKey } from './people.ts'

const TRIES = 5
const REST_MS = 60_000

export function createThrottle(now: () => number = () => performance.now()) {
  const tries = new Map<string, { count: number; at: number }>()

  /** Counts a try before its password is checked, because many may be checked at once. False: do not check it. */
  function mayTry(name: string): boolean {
    for (const [key, { at }] of tries) if (now() - at >= REST_MS) tries.delete(key)
    const { count, at } = tries.get(nameKey(name)) ?? { count: 0, at: now() }
    if (count >= TRIES) return false
    tries.set(nameKey(name), { count: count + 1, at: count + 1 === TRIES ? now() : at })
    return true
  }

  return { mayTry, succeeded: (name: string) => void tries.delete(nameKey(name)) }
}
