import { optionsInvalid } from '../../base/errors.ts'
import { suggest } from '../../base/suggest.ts'
import { parseJson } from '../../base/value.ts'

/**
 * Applies changes such as `data.from=255712000101` or `items.0.id=7` to a payload. A value gets the type of the value
 * that it replaces; in place of null it is JSON if it parses, else a text. `path:=json` sets any JSON.
 *
 * @throws SwitchhookError `options_invalid` if the payload has no such path, or if the value is of another type.
 */
export function withSet(payload: unknown, changes: readonly string[]): unknown {
  const changed: unknown = structuredClone(payload)
  for (const change of changes) set(changed, change)
  return changed
}

interface Place {
  readonly holder: Record<string, unknown>
  readonly name: string
}

function set(payload: unknown, change: string): void {
  const [, path = '', colon, text = ''] = /^([^=]*?)(:?)=(.*)$/s.exec(change) ?? []
  if (path === '')
    throw optionsInvalid(`--set: expected path=value, such as data.content=hours, got ${JSON.stringify(change)}`)
  // Looked up by its whole path, so that a path that does not exist changes nothing.
  const places = new Map(placesIn(payload, ''))
  const place = places.get(path)
  if (place === undefined) throw optionsInvalid(`--set: the payload has no ${path}${advice(path, [...places.keys()])}`)
  place.holder[place.name] = colon === ':' ? json(text, path) : likeBefore(place.holder[place.name], text, path)
}

function* placesIn(value: unknown, path: string): Iterable<[string, Place]> {
  if (typeof value !== 'object' || value === null) return
  const holder = value as Record<string, unknown>
  for (const name of Object.keys(holder)) {
    const place = path === '' ? name : `${path}.${name}`
    yield [place, { holder, name }]
    yield* placesIn(holder[name], place)
  }
}

function likeBefore(before: unknown, text: string, path: string): unknown {
  if (typeof before === 'string') return text
  if (before === null) return parseJson(text) === undefined ? text : parseJson(text)
  const value = json(text, path)
  if (typeof value === typeof before && Array.isArray(value) === Array.isArray(before)) return value
  throw optionsInvalid(`--set: ${path} is ${kindOf(before)}; ${path}:=${text} makes it something else`)
}

function json(text: string, path: string): unknown {
  const value = parseJson(text)
  if (value !== undefined) return value
  throw optionsInvalid(`--set: the value of ${path} must be JSON, got ${JSON.stringify(text)}`)
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function advice(path: string, paths: readonly string[]): string {
  const near = suggest(path, paths)
  if (near.length > 0) return `; it has ${near.join(', ')}`
  return paths.length > 0 ? `; it has ${paths.slice(0, 12).join(', ')}${paths.length > 12 ? ', …' : ''}` : ''
}
