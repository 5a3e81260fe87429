import { randomBytes } from 'node:crypto'
import type { Timers } from '../../base/clock.ts'
import { type Query, sql } from '../database/sql.ts'
import { type PostgresClient, type PostgresPool, whenOutdated } from './pool.ts'
import type { WorkKind } from '../database/steps.ts'

const CHANNEL = 'switchhook'
/** Wakes all listeners, also in this process, for work that the app's own transaction made. */
export function tellAll(work: WorkKind): Query {
  return sql`pg_notify(${CHANNEL}, ${`- ${work}`})`
}

const LISTEN_AGAIN_MS = 1_000
/** The time between notifications. Each one locks the whole server, and makes every process search for work. */
const REST_MS = 20
const ANSWER_MS = 1_000

interface NotificationsDeps {
  readonly pool: PostgresPool
  readonly timers: Timers
  readonly onWake: (work: WorkKind) => void
}

/**
 * Sends a hint to other processes after a commit. Behind some poolers, or while the connection is broken, nothing
 * arrives. Every process searches for work once a second anyway.
 */
export class Notifications {
  readonly #o: NotificationsDeps
  readonly #self = randomBytes(6).toString('hex')
  readonly #untold = new Set<WorkKind>()
  #client: PostgresClient | undefined
  #isResting = false
  #told = Promise.resolve()
  #isClosed = false
  #cancel = () => {}

  constructor(o: NotificationsDeps) {
    this.#o = o
    void this.#listen()
  }

  tell(work: WorkKind): void {
    this.#untold.add(work)
    this.#tellAfterRest()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#told
    if (this.#client && this.#untold.size > 0) await this.#notify(this.#client)
    this.#end()
  }

  async #listen(): Promise<void> {
    let opened: PostgresClient | undefined
    try {
      const listener = (opened = await this.#o.pool.connect())
      const lostIt = () => this.#lost(listener)
      opened.on('error', lostIt)
      opened.on('end', lostIt)
      opened.on('notification', this.#hear)
      await opened.query({ text: `LISTEN ${CHANNEL}` })
      this.#client = opened
      whenOutdated(opened, lostIt)
    } catch {
      if (opened) this.#giveUp(opened)
      this.#listenAgain()
    }
    if (this.#isClosed) this.#end()
    else this.#tellAfterRest()
  }

  readonly #hear = (notification: unknown): void => {
    const { sender, works } = parsed(notification)
    if (sender !== this.#self) for (const work of works) this.#o.onWake(work)
  }

  #tellAfterRest(): void {
    if (this.#isResting || !this.#client || this.#untold.size === 0) return
    this.#isResting = true
    const rested = new Promise<void>((over) => void this.#o.timers.after(REST_MS, over))
    this.#told = this.#notify(this.#client)
    void Promise.all([this.#told, rested]).then(() => {
      this.#isResting = false
      this.#tellAfterRest()
    })
  }

  async #notify(client: PostgresClient): Promise<void> {
    const text = `NOTIFY ${CHANNEL}, '${[this.#self, ...this.#untold].join(' ')}'`
    this.#untold.clear()
    // A standby allows a process to listen, but not to notify.
    await client.query({ text, query_timeout: ANSWER_MS }).catch(() => this.#lost(client))
  }

  #lost(client: PostgresClient): void {
    if (client !== this.#client) return
    this.#giveUp(client)
    this.#client = undefined
    this.#listenAgain()
  }

  #listenAgain(): void {
    if (!this.#isClosed) this.#cancel = this.#o.timers.after(LISTEN_AGAIN_MS, () => void this.#listen())
  }

  #giveUp(client: PostgresClient): void {
    client.removeListener('notification', this.#hear)
    // The listener for errors stays on the connection, because it may break later.
    client.release(true)
  }

  #end(): void {
    this.#cancel()
    if (this.#client) this.#giveUp(this.#client)
    this.#client = undefined
  }
}

const WORKS: Readonly<Record<WorkKind, true>> = { items: true, sends: true, features: true, erasure: true }

/**
 * Parses a notification. Every role of the database may send one, a newer release may send unknown ones, and an app may
 * listen to its own channels on a connection of its pool.
 */
function parsed(notification: unknown): { readonly sender: string; readonly works: readonly WorkKind[] } {
  const { channel, payload } = (notification ?? {}) as { readonly channel?: unknown; readonly payload?: unknown }
  const [sender = '', ...words] = channel === CHANNEL && typeof payload === 'string' ? payload.split(' ') : []
  return { sender, works: words.filter((word): word is WorkKind => Object.hasOwn(WORKS, word)) }
}
