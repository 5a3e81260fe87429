import type { Log } from '../base/log.ts'
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
  if (Array.isArray(source)) return { event, fact, path: JSON.stringify(source) }
  return { event, fact, path: typeof source === 'string' ? source : '()' }
}

function keyOf({ event, fact }: MappedPath): string {
  return `${event}\0${fact}`
}

/** Warns of a bot that can answer nobody: it answers mapped customers alone, and none is mapped. */
export function warnOfUnmapped({ replies, facts }: Pick<Settings, 'replies' | 'facts'>, log: Log): void {
  if (replies !== 'mapped' || facts?.['message.received']?.['customer'] !== undefined) return
  log.warn(
    {},
    "replies: 'mapped', but the option facts does not map the customer of message.received: every message is parked. `switchhook payload report` prints a mapping to paste",
  )
}
