import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Emulator } from '../../emulator/index.ts'

const LOOK_EVERY_MS = 100

interface Redelivery extends Disposable {
  /** To be called when the app has been started: failed deliveries are delivered again as soon as it listens. */
  started(): void
}

/**
 * Delivers failed deliveries again as soon as the app listens after a start: the service's own retries come up to minutes
 * later, and a developer waits for an answer.
 */
export function redeliverToApp(
  { deliveries }: Pick<Emulator, 'deliveries'>,
  webhook: string,
  listens = listensAt,
): Redelivery {
  let latest = new AbortController()
  const retryOnceUp = async ({ signal }: AbortController) => {
    while (!(await listens(webhook))) await sleep(LOOK_EVERY_MS, undefined, { signal })
    if (!signal.aborted) await deliveries.retry()
  }
  return {
    started() {
      // An app that crashes at each start is waited for once.
      latest.abort()
      latest = new AbortController()
      retryOnceUp(latest).catch(() => undefined)
    },
    [Symbol.dispose]: () => latest.abort(),
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
