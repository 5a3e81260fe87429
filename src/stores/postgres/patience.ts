import type { Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { isServers, kindOf, refusesConnections, unavailable } from './faults.ts'
import { storeClosed, WAIT_MS } from './group-commit.ts'

const AGAIN_MS = 100
/**
 * A start waits so long: longer than many processes at work keep the lock under the highest load, and than a server
 * takes to recover.
 */
const START_MS = 60_000

interface Patience {
  readonly timers: Timers
  readonly monotonic: () => number
  isClosed(): boolean
}

/** Repeats a read while the database does not answer, as long as a write waits for it. */
export async function patiently<T>(read: () => Promise<T>, o: Patience): Promise<T> {
  const until = o.monotonic() + WAIT_MS
  for (;;) {
    if (o.isClosed()) throw storeClosed()
    try {
      return await read()
    } catch (error) {
      const kind = kindOf(error)
      if (kind === 'row') throw error
      if (kind === 'lasting' || o.monotonic() >= until) throw unavailable('the database could not be read', error)
      await pause(o)
    }
  }
}

/**
 * Repeats what a start does while the server says that it cannot yet, or does not listen yet, and says so once. One that
 * cannot be found at all is mostly a wrong address.
 */
export async function whenItPasses<T>(
  attempt: () => Promise<T>,
  o: Omit<Patience, 'isClosed'> & { readonly say?: ((line: string) => void) | undefined },
): Promise<T> {
  const until = o.monotonic() + START_MS
  for (let told = false; ; told = true) {
    try {
      return await attempt()
    } catch (error) {
      const isStarting = kindOf(error) === 'passing' && (isServers(error) || refusesConnections(error))
      if (!isStarting || o.monotonic() >= until) throw error
      if (!told)
        o.say?.(unavailable('the database cannot be opened yet, and is tried again for a minute', error).message)
      await pause(o)
    }
  }
}

/** Repeats an opening while a transaction of the app's that is open records a send under its key. */
export async function onceFree<T>(open: () => Promise<T | 'taken'>, o: Patience): Promise<T> {
  const until = o.monotonic() + WAIT_MS
  for (;;) {
    const opened = await open()
    if (opened !== 'taken') return opened
    if (o.monotonic() >= until)
      throw new SwitchhookError(
        'store_unavailable',
        'send(): a transaction of the app records a message under this key, and has been open for seconds: commit it, or roll it back',
      )
    await pause(o)
  }
}

function pause({ timers }: Pick<Patience, 'timers'>): Promise<void> {
  return new Promise((resolve) => void timers.after(AGAIN_MS, resolve))
}
