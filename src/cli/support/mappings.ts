import type { FactMapping } from '../../payload/index.ts'
import type { MappedPath, Store } from '../../stores/port/index.ts'

/** The app's mapping, as of its last start. */
export interface Mappings {
  /** The facts of an event that are mapped by a path; a function of the app is not known here. */
  of(event: string): FactMapping | undefined
  /** The facts of an event that a function of the app finds. */
  functionsOf(event: string): readonly string[]
}

const FUNCTION = '()'

export async function mappingsOf(store: Pick<Store, 'mapping'>): Promise<Mappings> {
  const rows = await store.mapping()
  const made = new Map<string, FactMapping | undefined>()
  return {
    of(event) {
      // One object for each event: the reader remembers what it makes of a mapping.
      if (!made.has(event)) made.set(event, mappingIn(rows.filter((row) => row.event === event)))
      return made.get(event)
    },
    functionsOf: (event) => rows.filter((row) => row.event === event && row.path === FUNCTION).map(({ fact }) => fact),
  }
}

function mappingIn(rows: readonly MappedPath[]): FactMapping | undefined {
  const paths = rows.filter(({ path }) => path !== FUNCTION).map(({ fact, path }) => [fact, path] as const)
  return paths.length === 0 ? undefined : Object.fromEntries(paths)
}
