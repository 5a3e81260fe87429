import { existsSync, readFileSync } from 'node:fs'
import { type FactMapping, Lock, LOCK_FILE, parseLock, type ReadContext } from '../../payload/index.ts'
import type { MappedPath, Store } from '../../stores/port/index.ts'
import { environment, type Io } from './io.ts'

/** How the app reads payloads, as far as a command can know it. */
export interface ReadingRules {
  /** The app's mapping of an event, but for functions, and the event's lock. */
  of(event: string): Pick<ReadContext, 'mapping' | 'lock'>
  /** The facts of an event that a function of the app finds. */
  functionsOf(event: string): readonly string[]
}

const FUNCTION = '()'

/** Knows the mapping of the app's last start, which is in the database, and the lock as it stands in this folder. */
export async function readingRules(io: Io, store: Pick<Store, 'mapping'>): Promise<ReadingRules> {
  const rows = await store.mapping()
  const file = environment(io, 'SWITCHHOOK_PAYLOAD_LOCK') ?? LOCK_FILE
  const lock = existsSync(file) ? new Lock(parseLock(readFileSync(file, 'utf8'), file), file) : undefined
  const mappings = new Map<string, FactMapping | undefined>()
  return {
    of(event) {
      // One object for each event: the reader remembers what it makes of a mapping.
      if (!mappings.has(event)) mappings.set(event, mappingIn(rows.filter((row) => row.event === event)))
      return { mapping: mappings.get(event), lock: lock?.of(event) }
    },
    functionsOf: (event) => rows.filter((row) => row.event === event && row.path === FUNCTION).map(({ fact }) => fact),
  }
}

function mappingIn(rows: readonly MappedPath[]): FactMapping | undefined {
  const paths = rows.filter(({ path }) => path !== FUNCTION).map(({ fact, path }) => [fact, path] as const)
  return paths.length === 0 ? undefined : Object.fromEntries(paths)
}
