import { isRecord } from '../base/value.ts'
import type { JsonObject, View } from '../bot/inbox/payload/facts.ts'
import { memberOf, stepsOf } from '../bot/inbox/payload/mapping.ts'

/**
 * Returns the paths of facts in a body, such as `customer` → `data.from`. A member of a fact has its own entry, such as
 * `tapped.id`. Leaves out paths that lead to neither a text nor a number.
 */
export function pathsOf({ facts }: Pick<View, 'facts'>, body: JsonObject): Readonly<Record<string, string>> {
  const paths: Record<string, string> = {}
  const put = (fact: string, path: string | undefined) => {
    if (path !== undefined && isLeaf(valueIn(body, path))) paths[fact] = path
  }
  for (const [fact, found] of Object.entries(facts)) {
    const { value, path } = found
    if (typeof value === 'object') for (const [name, at] of pathsIn(value, path, body)) put(`${fact}.${name}`, at)
    else if (found.how !== 'inferred') put(fact, path)
  }
  const taken = Object.values(paths)
  put(
    'eventId',
    EVENT_IDS.find((path) => isLeaf(valueIn(body, path)) && !taken.includes(path)),
  )
  return paths
}

/** Returns the paths of a fact's members. Searches each value at the fact's path, then in the objects around it. */
function pathsIn(values: object, near: string, body: JsonObject): [name: string, path: string][] {
  const taken = new Set<string>()
  return Object.entries(values).flatMap(([name, value]): [string, string][] => {
    const path = nearest(body, near, value, name, taken)
    if (path === undefined) return []
    taken.add(path)
    return [[name, path]]
  })
}

function nearest(body: JsonObject, near: string, value: unknown, name: string, taken: Set<string>): string | undefined {
  for (let path = near; ; path = path.slice(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['), 0))) {
    const holder = path === '' ? body : valueIn(body, path)
    if (path === near && isSame(holder, value, name) && !taken.has(path)) return path
    if (isRecord(holder))
      for (const [key, member] of Object.entries(holder)) {
        const at = path === '' ? key : `${path}.${key}`
        if (isSame(member, value, name) && !taken.has(at)) return at
      }
    if (path === '') return undefined
  }
}

function isSame(member: unknown, value: unknown, name: string): boolean {
  if (name === 'durationMs') return isLeaf(member) && [1, 1_000].some((unit) => Number(member) * unit === value)
  // Ignore case: a fact has a status in lower case, the body may not.
  return isLeaf(member) && String(member).trim().toLowerCase() === String(value).trim().toLowerCase()
}

const EVENT_IDS = ['id', 'event_id', 'eventId', 'event.id']

function isLeaf(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
}

export function valueIn(body: unknown, path: string): unknown {
  return stepsOf(path).reduce(memberOf, body)
}
