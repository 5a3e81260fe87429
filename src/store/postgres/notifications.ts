import { randomBytes } from 'node:crypto'
import type { Timers } from '../../base/clock.ts'
import { type Query, sql } from '../statements/sql.ts'
import { type PostgresClient, type PostgresPool, whenOutdated } from './pool.ts'
import type { Work } from '../steps.ts'

const CHANNEL = 'switchhook'
/** Wakes all listeners, the process itself included: for work that no transaction of this process made. */
export function tellAll(work: Work): Query {
  return sql`pg_notify(${CHANNEL}, ${`- ${work}`})`
}

const LISTEN_AGAIN_MS = 1_000
/** The time between two notifications: each takes a lock of the whole server, and has every process look for work. */
const REST_MS = 20
const ANSWER_MS = 1_000

/**
 * A hint, given after the commit: behind some poolers, or while the connection is broken, nothing arrives. Every process
 * looks for work once a second anyway.
 */
export function createNotifications(o: { pool: PostgresPool; timers: Timers; onWake: (work: Work) => void }) {
  const self = randomBytes(6).toString('hex')
  const untold = new Set<Work>()
  let client: PostgresClient | undefined
  let resting = false
  let told = Promise.resolve()
  let closed = false
  let cancel = () => {}

  async function listening(): Promise<void> {
    let opened: PostgresClient | undefined
    try {
      const listener = (opened = await o.pool.connect())
      const lostIt = () => lost(listener)
      opened.on('error', lostIt)
      opened.on('end', lostIt)
      opened.on('notification', heard)
      await opened.query({ text: `LISTEN ${CHANNEL}` })
      client = opened
      whenOutdated(opened, lostIt)
    } catch {
      if (opened) giveUp(opened)
      again()
    }
    if (closed) end()
    else telling()
  }

  function listen(): void {
    void listening()
  }

  function heard(notification: unknown): void {
    const { sender, works } = parsed(notification)
    if (sender !== self) for (const work of works) o.onWake(work)
  }

  function telling(): void {
    if (resting || !client || untold.size === 0) return
    resting = true
    const rested = new Promise<void>((over) => void o.timers.after(REST_MS, over))
    told = notify(client)
    void Promise.all([told, rested]).then(() => {
      resting = false
      telling()
    })
  }

  async function notify(listening: PostgresClient): Promise<void> {
    const text = `NOTIFY ${CHANNEL}, '${[self, ...untold].join(' ')}'`
    untold.clear()
    // A standby lets a process listen, and notify nobody.
    await listening.query({ text, query_timeout: ANSWER_MS }).catch(() => lost(listening))
  }

  function lost(given: PostgresClient): void {
    if (given !== client) return
    giveUp(given)
    client = undefined
    again()
  }

  function again(): void {
    if (!closed) cancel = o.timers.after(LISTEN_AGAIN_MS, listen)
  }

  function giveUp(given: PostgresClient): void {
    given.removeListener('notification', heard)
    // The listener of errors stays: a connection that is ended may break again.
    given.release(true)
  }

  function end(): void {
    cancel()
    if (client) giveUp(client)
    client = undefined
  }

  listen()
  return {
    tell(work: Work): void {
      untold.add(work)
      telling()
    },
    async close(): Promise<void> {
      closed = true
      await told
      if (client && untold.size > 0) await notify(client)
      end()
    },
  }
}

const WORKS: Readonly<Record<Work, true>> = { items: true, sends: true, announcements: true, erasure: true }

/**
 * Every role of the database may notify, also of what this release does not know, and an app may listen to its own
 * channels on a connection of its pool.
 */
function parsed(notification: unknown): { readonly sender: string; readonly works: readonly Work[] } {
  const { channel, payload } = (notification ?? {}) as { readonly channel?: unknown; readonly payload?: unknown }
  const [sender = '', ...words] = channel === CHANNEL && typeof payload === 'string' ? payload.split(' ') : []
  return { sender, works: words.filter((word): word is Work => Object.hasOwn(WORKS, word)) }
}
