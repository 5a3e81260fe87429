import { type Entry, keyOf, words } from './entry.ts'

/** What became of the templates since the types were written: a line each, and how many of each kind. */
export interface Difference {
  readonly summary: string
  readonly lines: readonly string[]
}

/** Undefined where nothing has changed. */
export function differenceOf(before: readonly Entry[], now: readonly Entry[]): Difference | undefined {
  const old = new Map(before.map((entry) => [keyOf(entry), entry]))
  const current = new Map(now.map((entry) => [keyOf(entry), entry]))
  const added = now.filter((entry) => !old.has(keyOf(entry)))
  const removed = before.filter((entry) => !current.has(keyOf(entry)))
  const changed = now.flatMap((entry) => {
    const was = old.get(keyOf(entry))
    return was === undefined || isSame(was, entry) ? [] : [{ was, entry }]
  })
  if (added.length + removed.length + changed.length === 0) return undefined
  const counts = [`${added.length} added`, `${removed.length} removed`, `${changed.length} changed`]
  return {
    summary: counts.filter((count) => !count.startsWith('0 ')).join(', '),
    lines: [
      ...added.map((entry) => `  + ${keyOf(entry)} ${words(entry)}`),
      ...removed.map((entry) => `  - ${keyOf(entry)} ${words(entry)}`),
      ...changed.map(({ was, entry }) => `  ~ ${keyOf(entry)} ${words(was)} -> ${words(entry)}`),
    ],
  }
}

/** Whatever a formatter did to one of them. */
function isSame(a: Entry, b: Entry): boolean {
  const bare = ({ type }: Entry) => type.replaceAll(/[\s;,]/g, '')
  return bare(a) === bare(b)
}
