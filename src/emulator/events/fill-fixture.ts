import { hash } from 'node:crypto'
import { isRecord } from '../../base/value.ts'
import type { EventFacts, Fixture } from './fixture.ts'
import { millisecondsOf, timeLike } from './like-time.ts'

/**
 * A fixture's payload that says something else: at the places of its facts stand these facts, in the form of the ones
 * that stood there. Ids and the customer's number change wherever they stand, and all times move with the event's own.
 * A member without a fact to be put in, such as a caption, is left out; what is no fact stays as it was recorded.
 */
export function fillFixture(fixture: Fixture, facts: EventFacts): object {
  const payload = structuredClone(fixture.payload) as Record<string, unknown>
  const swaps = swapsIn(fixture, facts)
  const moved = movedBy(fixture, facts)
  const changed = change(payload, '', (value, name) => swaps(moved(value, name))) as Record<string, unknown>
  for (const [fact, place] of Object.entries(fixture.facts))
    if (PUT_IN.has(fact)) put(changed, stepsOf(place), facts[fact], fact)
  return changed
}

export function valueAt({ facts, payload }: Fixture, fact: string): unknown {
  const place = facts[fact]
  return place === undefined ? undefined : stepsOf(place).reduce(memberOf, payload)
}

/** `data.contacts[0].wa_id` as the names and indices that lead there. */
export function stepsOf(place: string): string[] {
  return place.split(/[.[\]]+/).filter((step) => step !== '')
}

function memberOf(value: unknown, step: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
  return (value as Record<string, unknown>)[step]
}

/** A payload with each value, and each member's name, as `map` gives it. */
function change(value: unknown, name: string, map: (value: unknown, name: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => change(one, name, map))
  if (!isRecord(value)) return map(value, name)
  const members = Object.entries(value).map(([key, one]) => [map(key, ''), change(one, key, map)])
  return Object.fromEntries(members) as unknown
}

// ── ids and numbers ─────────────────────────────────────────────────────────────────────────────────

/** Facts that may stand at several places, such as a message's id beside `message.id`. */
const SWAPPED = ['messageId', 'upstreamId', 'eventId', 'numberId']

type Swap = (value: unknown) => unknown

function swapsIn(fixture: Fixture, facts: EventFacts): Swap {
  const swapped = SWAPPED.flatMap((fact): [unknown, string][] => {
    const [before, after] = [valueAt(fixture, fact), facts[fact]]
    return before === undefined || before === null || after === undefined ? [] : [[before, String(after)]]
  })
  const ids = new Map(swapped)
  const customer = customerSwap(valueAt(fixture, 'customer'), facts['customer'])
  return (value) => {
    const id = ids.get(value)
    return id === undefined ? customer(value) : inFormOf(value, id)
  }
}

/** A number stays a number: that of the id's digits, or else one that follows from the id. */
function inFormOf(value: unknown, id: string): unknown {
  if (typeof value !== 'number') return id
  const number = Number(id)
  return Number.isSafeInteger(number) ? number : Number.parseInt(hash('sha256', id).slice(0, 12), 16)
}

/** Puts another customer's digits wherever the recorded ones stand: alone, in an id, or written with spaces. */
function customerSwap(before: unknown, after: string | number | undefined): Swap {
  const isWritten = typeof before === 'string' || typeof before === 'number'
  const digits = isWritten ? String(before).replaceAll(/\D/g, '') : ''
  if (digits === '' || after === undefined) return (value) => value
  const written = new RegExp(`(?<!\\d)${digits.split('').join(String.raw`[\s().-]{0,2}`)}(?!\\d)`, 'g')
  return (value) => {
    if (value === Number(digits)) return Number(after)
    return typeof value === 'string' ? value.replaceAll(written, String(after)) : value
  }
}

// ── times ───────────────────────────────────────────────────────────────────────────────────────────

const TIME_NAME = /(?:at|date|time|timestamp)$/i

/** Moves a time by the difference between the event's own time and the recorded one. */
function movedBy(fixture: Fixture, { at }: EventFacts): (value: unknown, name: string) => unknown {
  const before = millisecondsOf(valueAt(fixture, 'at'))
  if (before === undefined || typeof at !== 'number') return (value) => value
  const own = stepsOf(fixture.facts['at'] ?? '').at(-1)
  return (value, name) => {
    if (name !== own && !TIME_NAME.test(name)) return value
    const ms = millisecondsOf(value)
    return (ms === undefined ? undefined : timeLike(value, ms - before + at)) ?? value
  }
}

// ── what is said ────────────────────────────────────────────────────────────────────────────────────

const PUT_IN = new Set([
  'text',
  'tapped.id',
  'tapped.title',
  'media.url',
  'media.mime',
  'media.filename',
  'media.caption',
  'media.durationMs',
  'status',
  'failureReason',
  'template.id',
  'template.name',
  'template.language',
  'template.status',
  'template.previousStatus',
])

function put(
  payload: Record<string, unknown>,
  steps: readonly string[],
  fact: string | number | undefined,
  name: string,
): void {
  const holder = steps.slice(0, -1).reduce<unknown>(memberOf, payload)
  const last = steps.at(-1) ?? ''
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, last)) return
  const members = holder as Record<string, unknown>
  if (fact === undefined) delete members[last]
  else if (name === 'media.durationMs') members[last] = durationLike(last, Number(fact))
  else members[last] = caseLike(members[last], name, fact)
}

function durationLike(member: string, ms: number): number {
  return /ms$/i.test(member) ? ms : Math.round(ms / 1_000)
}

/** A status in the recorded one's case: `DELIVERED`, `Delivered` or `delivered`. */
function caseLike(before: unknown, name: string, fact: string | number): unknown {
  if (typeof before !== 'string' || !name.toLowerCase().endsWith('status')) return fact
  const word = String(fact).toLowerCase()
  if (before === before.toUpperCase()) return word.toUpperCase()
  return /^[A-Z]/.test(before) ? word.charAt(0).toUpperCase() + word.slice(1) : word
}
