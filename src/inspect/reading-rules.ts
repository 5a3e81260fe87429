import type { FactMapping } from '../payload/index.ts'
import type { MappedPath, Store } from '../stores/port/index.ts'

/** How the app reads payloads, to the extent that a command can know it: functions of the app are unknown. */
export interface ReadingRules {
  mappingOf(event: string): FactMapping | undefined
  /** The facts of an event that a function of the app finds. */
  functionsOf(event: string): readonly string[]
}

const FUNCTION = '()'

/** The mapping of the app's last start, which the database holds. */
export async function readingRules(store: Pick<Store, 'mapping'>): Promise<ReadingRules> {
  const rows = await store.mapping()
  const mappings = new Map<string, FactMapping | undefined>()
  return {
    mappingOf(event) {
      // One object for each event: the reader remembers what it makes of a mapping.
      if (!mappings.has(event)) mappings.set(event, mappingIn(rows.filter((row) => row.event === event)))
      return mappings.get(event)
    },
    functionsOf: (event) => rows.filter((row) => row.event === event && row.path === FUNCTION).map(({ fact }) => fact),
  }
}

function mappingIn(rows: readonly MappedPath[]): FactMapping | undefined {
  const paths = rows.filter(({ path }) => path !== FUNCTION).map(({ fact, path }) => [fact, pathsIn(path)] as const)
  return paths.length === 0 ? undefined : Object.fromEntries(paths)
}

/** Several paths are stored as a JSON list. */
function pathsIn(path: string): string | string[] {
  return path.startsWith('["') ? (JSON.parse(path) as string[]) : path
}
