import { randomBytes } from 'node:crypto'
import type { Timers } from '../../base/clock.ts'
import type { Work } from '../port/index.ts'
import type { PostgresClient, PostgresPool } from './pool.ts'

export interface Notifications {
  /** The statement by which a transaction tells others of the work that it made; empty if there is none. */
  tell(woken: ReadonlySet<Work>): string
  close(): void
}

const CHANNEL = 'switchhook'
const LISTEN_AGAIN_MS = 1_000

/**
 * Processes tell each other of work that they made: a hint, and no more. Behind a pooler that gives a connection away
 * with each transaction nothing is heard, and while the connection is broken neither: then work is found by looking for
 * it, which every process does once a second.
 */
export function createNotifications(o: {
  pool: PostgresPool
  timers: Timers
  onWake: (work: Work) => void
}): Notifications {
  const self = randomBytes(6).toString('hex')
  let client: PostgresClient | undefined
  let closed = false
  let cancel = () => {}

  async function listening(): Promise<void> {
    let opened: PostgresClient | undefined
    try {
      opened = await o.pool.connect()
      opened.on('error', lost)
      opened.on('end', lost)
      opened.on('notification', heard)
      await opened.query({ text: `LISTEN ${CHANNEL}` })
      client = opened
    } catch {
      if (opened) giveUp(opened)
      again()
    }
    if (closed) close()
  }

  function listen(): void {
    void listening()
  }

  function heard({ payload = '' }: { readonly payload?: string }): void {
    const [sender, ...works] = payload.split(' ')
    if (sender === self) return
    for (const work of works) o.onWake(work as Work)
  }

  function lost(): void {
    if (!client) return
    giveUp(client)
    client = undefined
    again()
  }

  function again(): void {
    if (!closed) cancel = o.timers.after(LISTEN_AGAIN_MS, listen)
  }

  function giveUp(given: PostgresClient): void {
    given.removeListener('end', lost)
    given.removeListener('notification', heard)
    // The listener of errors stays: a connection that is ended may break once more.
    given.release(true)
  }

  function close(): void {
    closed = true
    cancel()
    if (client) giveUp(client)
    client = undefined
  }

  listen()
  return {
    tell: (woken) => (woken.size === 0 ? '' : `NOTIFY ${CHANNEL}, '${[self, ...woken].join(' ')}'; `),
    close,
  }
}
