import type { ViewDeps } from './query.ts'

const memories = new WeakMap<object, Map<string, { readonly at: number; readonly value: Promise<unknown> }>>()

/** Reads a costly value of a store at most once in `ms` milliseconds, for all visitors together. */
export function remembered<T>(
  { desk: { store, clock } }: ViewDeps,
  name: string,
  ms: number,
  read: () => Promise<T>,
): Promise<T> {
  const known = memories.get(store) ?? new Map<string, { at: number; value: Promise<unknown> }>()
  memories.set(store, known)
  const now = clock.monotonic()
  for (const [one, { at }] of known) if (one === name && now - at >= ms) known.delete(one)
  const found = known.get(name)
  if (found) return found.value as Promise<T>
  const value = read()
  known.set(name, { at: now, value })
  // After a failure the next request reads again.
  value.catch(() => known.delete(name))
  return value
}
