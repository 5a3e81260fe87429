import type { Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { isServers, kindOf, mayOnlyRead, refusesConnections, unavailable } from './server-faults.ts'

/** How long a caller waits. */
export const WAIT_MS = 5_000
const RETRY_MS = 100
/**
 * The longest wait of a start. It is longer than many processes keep the lock under the highest load, and than a server
 * needs to recover.
 */
const START_MS = 60_000

interface Patience {
  readonly timers: Timers
  readonly monotonic: () => number
}

export async function patiently<T>(
  read: () => Promise<T>,
  o: Patience & { readonly isClosed: () => boolean },
): Promise<T> {
  const until = o.monotonic() + WAIT_MS
  for (;;) {
    if (o.isClosed()) throw storeClosed()
    try {
      return await read()
    } catch (error) {
      const kind = kindOf(error)
      if (kind === 'row') throw error
      if (kind === 'lasting' || o.monotonic() >= until) throw unavailable('the database could not be read', error)
      await pause(o.timers)
    }
  }
}

/** Repeats a start while the server is not ready or not reachable yet. Calls `say` once. */
export async function whenItPasses<T>(
  attempt: () => Promise<T>,
  o: Patience & { readonly say?: ((line: string) => void) | undefined },
): Promise<T> {
  const beganAt = o.monotonic()
  for (let told = false; ; told = true) {
    try {
      return await attempt()
    } catch (error) {
      const isStarting = kindOf(error) === 'passing' && (isServers(error) || refusesConnections(error))
      // After a failover this server may soon accept writes. A standby never will, so the wait is short.
      const longestMs = mayOnlyRead(error) ? WAIT_MS : START_MS
      if (!isStarting || o.monotonic() - beganAt >= longestMs) throw error
      if (!told && longestMs === START_MS)
        o.say?.(unavailable('the database cannot be opened yet, and is tried again for a minute', error).message)
      await pause(o.timers)
    }
  }
}

export function pause(timers: Timers, ms = RETRY_MS): Promise<void> {
  return new Promise((resolve) => void timers.after(ms, resolve))
}

export function storeClosed(): SwitchhookError {
  return new SwitchhookError('store_unavailable', 'the store is closed')
}
