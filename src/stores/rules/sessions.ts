import type { Session, SessionWrite } from '../port/index.ts'

/**
 * A change of a session that is applied to a newer one. Undefined if a key at the top was changed by both, if one of the
 * three values is no object, or if the newer session is of another version.
 *
 * @param newer undefined if there is none any more.
 */
export function mergedSession(write: SessionWrite, newer: Session | undefined): SessionWrite | undefined {
  const newest = { ...write, before: newer?.value }
  if (newer?.value === write.value || newer?.value === write.before) return newest
  if (newer === undefined || newer.version !== write.version) return undefined
  const [before, mine, theirs] = [write.base ?? write.before ?? '{}', write.value ?? 'null', newer.value].map(objectIn)
  if (!before || !mine || !theirs) return undefined
  const keys = new Set([...Object.keys(before), ...Object.keys(mine)])
  const changed = [...keys].filter((key) => jsonOf(mine, key) !== jsonOf(before, key))
  if (changed.some((key) => jsonOf(theirs, key) !== jsonOf(before, key))) return undefined
  const merged = { ...theirs }
  for (const key of changed)
    if (Object.hasOwn(mine, key)) merged[key] = mine[key]
    else delete merged[key]
  return { ...newest, value: JSON.stringify(merged) }
}

function objectIn(json: string): Record<string, unknown> | undefined {
  const value: unknown = JSON.parse(json)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

function jsonOf(object: Record<string, unknown>, key: string): string | undefined {
  return Object.hasOwn(object, key) ? JSON.stringify(object[key]) : undefined
}
