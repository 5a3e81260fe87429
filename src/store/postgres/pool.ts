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
  close(): Promise<void>
}

/** Writes need one connection, listening needs one, and reads share the rest. */
const CONNECTIONS = 6
const CONNECT_MS = 5_000

export async function openPool(database: string | PostgresPool): Promise<OpenPool> {
  if (typeof database !== 'string') {
    hearErrors(database)
    return { connect: () => connect(database), close: async () => {} }
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
  // A connection that breaks while nobody uses it leaves the pool automatically; without a listener, the event would end the process.
  pool.on('error', () => {})
  hearErrors(pool)
  return { connect: () => connect(pool), close: () => pool.end() }
}

/** A server that shuts down may end a connection in the bytes that open it, before who asked for it can listen. */
function hearErrors(pool: object): void {
  if (pool instanceof EventEmitter && !pool.listeners('connect').includes(hear)) pool.on('connect', hear)
}

function hear(client: PostgresClient): void {
  client.on('error', () => {})
}

async function connect(pool: PostgresPool): Promise<PostgresClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw new DatabaseFault(error)
  }
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

/** @throws SwitchhookError `options_invalid` for any other address. It is not repeated: a password may be in it. */
export function isPostgres(database: string): boolean {
  if (!isAddress(database)) return false
  if (/^postgres(?:ql)?:\/\//i.test(database)) return true
  throw optionsInvalid('database: expected a file, or an address postgres://… without blanks around it')
}

/** Longer than a drive letter of Windows, which also ends with a colon. */
function isAddress(database: string): boolean {
  return /^\s*[a-z][a-z\d+.-]+:\//i.test(database)
}

export function shownDatabase(database: string | object): string {
  if (typeof database !== 'string') return 'a pool of the app'
  if (!isAddress(database)) return database
  const url = URL.parse(database.trim())
  return url === null || url.pathname.includes('@') ? 'postgres://' : `${url.protocol}//${url.host}${url.pathname}`
}
