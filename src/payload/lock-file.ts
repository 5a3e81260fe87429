import { SwitchhookError } from '../base/errors.ts'
import { isRecord, parseJson } from '../base/value.ts'
import { type FactName, isFactName } from './facts.ts'
import { isTooDeep } from './json.ts'
import { fingerprintOf } from './shape.ts'

export const LOCK_FILE = 'payload.lock.json'

/** The places of facts, as a person has confirmed them: the content of a `payload.lock.json`. */
export interface PayloadLock {
  readonly events: Readonly<Record<string, LockedEvent>>
}

export interface LockedEvent {
  /** The places of each locked fact, each a path with the type of its value: `data.from:string`. */
  readonly facts: { readonly [F in FactName]?: readonly string[] }
  /** The shapes that were seen when the facts were locked: the places of each, by its fingerprint. */
  readonly shapes: Readonly<Record<string, readonly string[]>>
}

const VERSION = 1
const ABOUT =
  'Observed, not contract: written by `switchhook payload lock`. Paths and types alone; no value is in here.'

/** Writes a lock, sorted, so that the same lock is the same text and a diff shows what changed alone. */
export function lockText({ events }: PayloadLock): string {
  const sorted = sortedBy(events, ({ facts, shapes }) => ({
    facts: sortedBy(facts, (places) => [...places].sort()),
    shapes: sortedBy(shapes, (places) => [...places].sort()),
  }))
  return `${JSON.stringify({ version: VERSION, about: ABOUT, events: sorted }, undefined, 2)}\n`
}

function sortedBy<T, R>(members: Readonly<Record<string, T>>, map: (value: T) => R): Record<string, R> {
  const names = Object.keys(members).sort()
  return Object.fromEntries(names.map((name) => [name, map(members[name] as T)]))
}

/**
 * Reads the text of a lock.
 *
 * @param file is named in errors.
 * @throws SwitchhookError `lock_invalid` if the text is damaged or another version's.
 */
export function parseLock(text: string, file: string): PayloadLock {
  // An editor may have put a byte order mark before it.
  const written = text.startsWith('\ufeff') ? text.slice(1) : text
  if (isTooDeep(written)) throw damaged(file, 'it is nested too deep')
  const json = parseJson(written)
  if (!isRecord(json)) throw damaged(file, 'it is no JSON object (a merge that went wrong?)')
  const { version, events } = json
  if (version !== VERSION)
    throw new SwitchhookError(
      'lock_invalid',
      `${file} cannot be read: its version is ${typeof version === 'number' ? version : 'missing'}, and this release reads version ${VERSION}; use the release that wrote it, or write it anew with \`switchhook payload lock\``,
    )
  if (!isRecord(events) || Object.keys(events).length === 0) throw damaged(file, 'it has no events')
  if (namesIn(written) !== namesOf(json)) throw damaged(file, 'a name comes twice in it (a merge that went wrong?)')
  for (const [event, locked] of Object.entries(events)) checkEvent(locked, event, file)
  return { events: events as PayloadLock['events'] }
}

function checkEvent(locked: unknown, event: string, file: string): void {
  const { facts, shapes } = isRecord(locked) ? locked : {}
  if (!isRecord(facts) || !isRecord(shapes) || Object.keys(facts).length === 0)
    throw damaged(file, `${event} lacks its facts or its shapes`)
  const seen = new Set<string>()
  for (const [fingerprint, places] of Object.entries(shapes)) {
    if (!arePlaces(places)) throw damaged(file, `the shape ${fingerprint} of ${event} is no list of places`)
    // Edited by hand, or merged from two, it is no shape that was ever seen.
    if (fingerprintOf([...places].sort(), false) !== fingerprint)
      throw damaged(file, `the shape ${fingerprint} of ${event} has other places than when it was written`)
    for (const place of places) seen.add(place)
  }
  for (const [fact, places] of Object.entries(facts)) {
    if (!isFactName(fact)) throw damaged(file, `${event} locks ${fact}, which is no fact of this release`)
    if (!arePlaces(places) || places.length === 0) throw damaged(file, `${event}.${fact} has no list of places`)
    const unseen = places.find((place) => !seen.has(place))
    if (unseen !== undefined) throw damaged(file, `${event}.${fact} is at ${unseen}, which none of its shapes has`)
  }
}

// `JSON.parse` keeps the last of several members of a name: half of a lock would be gone, and its facts be guessed.
const NAME_OR_TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

function namesIn(text: string): number {
  let count = 0
  for (const [, colon] of text.matchAll(NAME_OR_TEXT)) if (colon !== undefined) count++
  return count
}

function namesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce<number>((sum, member) => sum + namesOf(member), own)
}

const PLACE = /^.+:(?:string|number|boolean|null|object|array|json)$/

function arePlaces(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && PLACE.test(each))
}

function damaged(file: string, why: string): SwitchhookError {
  return new SwitchhookError(
    'lock_invalid',
    `${file} is damaged: ${why}; take it back from version control, or write it anew with \`switchhook payload lock\``,
  )
}
