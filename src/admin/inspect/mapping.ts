import type { FactMapping } from '../../bot/in/payload/facts.ts'
import type { MappedPath } from '../../store/types/types.ts'
import type { Store } from '../../store/store.ts'

export type MappingOf = (event: string) => FactMapping | undefined

/** A fact that a function of the app finds. No command can run it. */
const FUNCTION = '()'

export async function readMapping(store: Pick<Store, 'mapping'>): Promise<MappingOf> {
  const rows = await store.mapping()
  const mappings = new Map<string, FactMapping | undefined>()
  return (event) => {
    // One object for each event, because the reader caches what it derives from a mapping.
    if (!mappings.has(event)) mappings.set(event, mappingIn(rows.filter((row) => row.event === event)))
    return mappings.get(event)
  }
}

function mappingIn(rows: readonly MappedPath[]): FactMapping | undefined {
  const paths = rows.filter(({ path }) => path !== FUNCTION).map(({ fact, path }) => [fact, pathsIn(path)] as const)
  return paths.length === 0 ? undefined : Object.fromEntries(paths)
}

function pathsIn(path: string): string | string[] {
  return path.startsWith('["') ? (JSON.parse(path) as string[]) : path
}
