import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import { SwitchhookError, optionsInvalid } from '../../base/errors.ts'
import { DatabaseFault } from './server-faults.ts'

/** The part of a connection of the package `pg` that is used here. */
export interface PostgresClient {
  // oxlint-disable typescript/no-explicit-any -- the package is optional, and so are its types
  query(query: any): Promise<any>
  on(event: 'error' | 'notification' | 'end', listener: (message: any) => void): unknown
  removeListener(event: 'error' | 'notification' | 'end', listener: (message: any) => void): unknown
  // oxlint-enable typescript/no-explicit-any
  /** True if it sends a question before the one in front of it is answered. */
  readonly pipeline?: boolean
  release(destroy?: boolean): void
}

export interface DriverClient extends PostgresClient {
  readonly connection?: { readonly stream: Pick<Duplex, 'cork' | 'uncork' | 'destroy'> }
}

/** The app's own, or one that is made from an address. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
}

export interface OpenPool extends PostgresPool {
  /** The most connections that it opens; undefined if it does not say. */
  readonly size: number | undefined
  close(): Promise<void>
}

/** Writes need one connection, listening needs one, and reads share the rest. */
const CONNECTIONS = 6
const CONNECT_MS = 5_000
export const LEAST_CONNECTIONS = 3

/** @throws SwitchhookError `options_invalid` for a pool of the app that is too small. */
export async function openPool(database: string | PostgresPool): Promise<OpenPool> {
  if (typeof database !== 'string') {
    const size = (database as { readonly options?: { readonly max?: unknown } }).options?.max
    if (typeof size === 'number' && size < LEAST_CONNECTIONS) throw tooFew()
    hearErrors(database)
    return {
      size: typeof size === 'number' ? size : undefined,
      connect: () => connect(database),
      close: async () => {},
    }
  }
  const { Pool } = await driver()
  const pool = new Pool({
    connectionString: database,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    // What a group asks at a time takes one round trip.
    pipeline: true,
    application_name: 'switchhook',
  })
  hearErrors(pool)
  return { size: CONNECTIONS, connect: () => connect(pool), close: () => pool.end() }
}

/** Otherwise all would wait for ever, silently. */
export function tooFew(): SwitchhookError {
  return optionsInvalid(
    `database: expected a pool that gives at least ${LEAST_CONNECTIONS} connections: writes take one, listening one, and reads the rest (max: 10 is a good size)`,
  )
}

/** A server that shuts down may end a connection in the bytes that open it, before who asked for it can listen. */
function hearErrors(pool: object): void {
  if (!(pool instanceof EventEmitter) || pool.listeners('connect').includes(hear)) return
  pool.on('connect', hear)
  heardSince.set(pool, periodOf(pool))
  // A connection that breaks while nobody uses it leaves the pool automatically; unheard, the event would end the process.
  pool.on('error', () => {})
}

function hear(this: object, client: PostgresClient): void {
  openedIn.set(client, periodOf(this))
  client.on('error', () => endPeriod(client))
}

async function connect(pool: PostgresPool): Promise<PostgresClient> {
  // One that breaks while it opens is given out, and fails: a server may end all of them.
  const now = periodOf(pool)
  try {
    for (let outdated = 0; ; outdated++) {
      // A pool that tells of no connection that it opens would be asked for ever.
      if (outdated === MOST_OUTDATED) heardSince.delete(pool)
      const client = await pool.connect()
      // One that nobody heard of was opened before that.
      if (!openedIn.has(client)) openedIn.set(client, heardSince.get(pool) ?? now)
      if (openedIn.get(client) === now || !isOutdated(client)) return client
      // A pool that gives it out again all the same would be asked for ever.
      openedIn.set(client, now)
      client.release(true)
    }
  } catch (error) {
    throw new DatabaseFault(error)
  }
}

// ── connections of a server that is not there any more ──────────────────────────────────────────────

/**
 * After a failover each old connection fails in turn, in a pool of many for longer than a delivery waits. So the first one
 * that cannot do its work ends a period: none that was opened within it is used again.
 */
const MOST_OUTDATED = 100
const periods = new WeakMap<object, AbortController>()
const openedIn = new WeakMap<object, AbortController>()
/** When the listening to what a pool opens began. */
const heardSince = new WeakMap<object, AbortController>()

function periodOf(pool: object): AbortController {
  let period = periods.get(pool)
  if (!period || period.signal.aborted) periods.set(pool, (period = new AbortController()))
  return period
}

export function endPeriod(client: PostgresClient): void {
  openedIn.get(client)?.abort()
}

export function isOutdated(client: PostgresClient): boolean {
  return openedIn.get(client)?.signal.aborted === true
}

/** Called once no connection of its time is used any more. */
export function whenOutdated(client: PostgresClient, call: () => void): void {
  openedIn.get(client)?.signal.addEventListener('abort', call, { once: true })
}

/** The package is an optional peer: an app on SQLite does not install it. */
async function driver() {
  try {
    return (await import('pg')).default
  } catch (error) {
    throw new SwitchhookError(
      'store_unavailable',
      'a database at postgres:// needs the package pg, which is not installed: npm install pg',
      { cause: error },
    )
  }
}
