import type { MappedPath, Store } from '../stores/port/index.ts'
import type { Settings } from './options.ts'

/** Keeps the app's mapping in the store: commands show by it how a payload would be read. */
export async function keepMapping(store: Store, facts: Settings['facts']): Promise<void> {
  const mapping = Object.entries(facts ?? {})
    .flatMap(([event, of]) => Object.entries(of ?? {}).map(([fact, source]) => mappedPath(event, fact, source)))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const kept = await store.mapping()
  if (JSON.stringify(kept) !== JSON.stringify(mapping)) await store.keepMapping(mapping)
}

function mappedPath(event: string, fact: string, source: unknown): MappedPath {
  return { event, fact, path: typeof source === 'string' ? source : '()' }
}

function keyOf({ event, fact }: MappedPath): string {
  return `${event}\0${fact}`
}
