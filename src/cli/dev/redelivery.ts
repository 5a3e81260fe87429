import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Emulator } from '../../emulator/index.ts'

const LOOK_EVERY_MS = 100

/** The longest delay of a timer. */
const FOREVER_MS = 2 ** 31 - 1

interface Redelivery extends Disposable {
  /** To be called when the app has been started: what failed before comes again as soon as the app listens. */
  started(): void
}

/**
 * Delivers failed deliveries again as soon as the app listens again: the service's own retries come minutes
 * later, and a developer waits for an answer.
 */
export function redeliverToApp(
  { deliveries }: Pick<Emulator, 'deliveries'>,
  webhook: string,
  listens = listensAt,
): Redelivery {
  const over = new AbortController()
  const { signal } = over
  let restarted = new AbortController()
  const retryAt = async (url: string, until: AbortSignal) => {
    while (!(await listens(url))) await sleep(LOOK_EVERY_MS, undefined, { signal: until })
    if (!until.aborted) await deliveries.retry()
  }
  const followRefusals = async () => {
    while (!signal.aborted) {
      const delivery = await deliveries.wait(({ state, attempts }) => {
        return state === 'pending' && attempts.at(-1)?.error === 'connection_refused'
      }, FOREVER_MS)
      await retryAt(delivery.attempts.at(-1)?.request.url ?? webhook, signal)
      // The attempt that has just begun has not ended yet.
      await sleep(LOOK_EVERY_MS, undefined, { signal })
    }
  }
  // `wait` also rejects if the emulator is reset or closed: then it is called again, or no more.
  const goOn = (): void => void followRefusals().catch(() => (signal.aborted ? undefined : goOn()))
  goOn()
  return {
    started() {
      // An app that crashes at each start would be looked for again each time.
      restarted.abort()
      restarted = new AbortController()
      void retryAt(webhook, AbortSignal.any([signal, restarted.signal])).catch(() => undefined)
    },
    [Symbol.dispose]: () => over.abort(),
  }
}

/** Tells whether anybody accepts connections at the address of an endpoint. */
export async function listensAt(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url)
  const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), hostname.replace(/^\[|\]$/g, ''))
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
