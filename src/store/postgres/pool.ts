import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import { SwitchhookError, optionsInvalid } from '../../base/errors.ts'
import { DatabaseFault } from './server-faults.ts'

/** The members of a connection of the package `pg` that are used here. */
export interface PostgresClient {
  // oxlint-disable typescript/no-explicit-any -- the package is optional, and so are its types
  query(query: any): Promise<any>
  on(event: 'error' | 'notification' | 'end', listener: (message: any) => void): unknown
  removeListener(event: 'error' | 'notification' | 'end', listener: (message: any) => void): unknown
  // oxlint-enable typescript/no-explicit-any
  /** True if it sends a statement before the earlier one is answered. */
  readonly pipeline?: boolean
  release(destroy?: boolean): void
}

export interface DriverClient extends PostgresClient {
  readonly connection?: { readonly stream: Pick<Duplex, 'cork' | 'uncork' | 'destroy'> }
}

/** A pool: the app's own, or one that is made from an address. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
}

export interface OpenPool extends PostgresPool {
  /** The most connections that the pool opens; undefined if that is unknown. */
  readonly size: number | undefined
  close(): Promise<void>
}

/** One connection for writes, one to listen, and the rest for reads. */
const CONNECTIONS = 6
const CONNECT_MS = 5_000
export const LEAST_CONNECTIONS = 3

/** Opens a pool. @throws SwitchhookError `options_invalid` if it is too small, `store_unavailable` without `pg`. */
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
    // All statements of one step of a group take one round trip.
    pipeline: true,
    application_name: 'switchhook',
  })
  hearErrors(pool)
  return { size: CONNECTIONS, connect: () => connect(pool), close: () => pool.end() }
}

/** The error of a pool with too few connections. Without it all operations would wait for ever, silently. */
export function tooFew(): SwitchhookError {
  return optionsInvalid(
    `database: expected a pool that gives at least ${LEAST_CONNECTIONS} connections: writes take one, listening one, and reads the rest (max: 10 is a good size)`,
  )
}

/**
 * Listens to errors of new connections. A server that shuts down may end a connection while it opens, before its caller
 * can listen.
 */
function hearErrors(pool: object): void {
  if (!(pool instanceof EventEmitter) || pool.listeners('connect').includes(hear)) return
  pool.on('connect', hear)
  heardSince.set(pool, periodOf(pool))
  // A connection that breaks while nobody uses it leaves the pool automatically. Without a listener the event would end
  // the process.
  pool.on('error', () => {})
}

function hear(this: object, client: PostgresClient): void {
  openedIn.set(client, periodOf(this))
  client.on('error', () => endPeriod(client))
}

async function connect(pool: PostgresPool): Promise<PostgresClient> {
  // The period (see `MOST_OUTDATED`) is read first. A connection that breaks while it opens is returned, and its first
  // statement fails. Otherwise a server that ends all new connections would keep this loop busy for ever.
  const now = periodOf(pool)
  try {
    for (let outdated = 0; ; outdated++) {
      // If a pool does not report new connections, all may seem outdated for ever. From now on they count as new.
      if (outdated === MOST_OUTDATED) heardSince.delete(pool)
      const client = await pool.connect()
      // A connection that was not reported was opened before we listened to the pool.
      if (!openedIn.has(client)) openedIn.set(client, heardSince.get(pool) ?? now)
      if (openedIn.get(client) === now || !isOutdated(client)) return client
      // A pool that gives this connection again never gives another one, so the connection then counts as new.
      openedIn.set(client, now)
      client.release(true)
    }
  } catch (error) {
    throw new DatabaseFault(error)
  }
}

// ── connections of a server that is not there any more ──────────────────────────────────────────────

/**
 * After a failover each old connection fails in turn. In a large pool that takes longer than a delivery may wait. So
 * the first connection that fails ends a period, and no connection that was opened within it is used again.
 */
const MOST_OUTDATED = 100
const periods = new WeakMap<object, AbortController>()
const openedIn = new WeakMap<object, AbortController>()
/** The period in which listening to a pool's new connections began. */
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
