import { isRecord } from '../base/value.ts'
import { isTooDeep, type JsonObject, type Parse } from './json.ts'
import { isMessageLike, MEANINGS } from './likeness.ts'
import { plainName } from './names.ts'

/** An object of the payload, with the way that leads to it. */
export interface Spot {
  readonly object: JsonObject
  /** From the body, in the payload's own spelling; of the body itself `''`. */
  readonly path: string
  readonly parent?: Spot
  /** The parent's member that holds it. */
  readonly key: string
  /** Where that member is a list: which of how many it is. */
  readonly index?: number
  readonly siblings?: number
}

/** What a view is read from: the message object, or where none is found the innermost wrapper. */
export interface Place {
  readonly spot: Spot
  readonly isMessage: boolean
}

const MAX_STEPS = 5
const MESSAGE_LIKE_AT_LEAST = 2

// Only words of an envelope: a string under `message`, `body` or `payload` can be what the customer wrote, and no
// customer must be able to write a message object.
const MAY_HOLD_TEXT = new Set(['data', 'record', 'attributes'])

/**
 * Finds the message objects of a body: one, or several where it is a batch. The message object is the deepest
 * along the steps that has at least two message-like members.
 */
export function locate(body: JsonObject, event: string, parse: Parse): readonly Place[] {
  const lists = event.startsWith('message.')
  const way: Way = { lists, without: event === 'message.received' ? 'statuses' : '', parse }
  return search({ object: body, path: '', key: '' }, MAX_STEPS, way).places
}

interface Way {
  /** Whether lists are followed: an order's list of items is no batch. */
  readonly lists: boolean
  readonly without: string
  /** Absent below a member that was parsed already: text in text is text. */
  readonly parse?: Parse
}

interface Found {
  readonly likes: number
  readonly places: readonly Place[]
}

/** Whether texts and lists in an object are its own, and lead to no message. */
interface Own {
  readonly texts: boolean
  readonly lists: boolean
}

interface Step {
  readonly rank: number
  readonly key: string
  readonly value: unknown
}

function search(spot: Spot, left: number, way: Way): Found {
  let likes = 0
  let tells = false
  let speaks = false
  let steps: Step[] | undefined
  for (const key of Object.keys(spot.object)) {
    const meaning = MEANINGS.get(key)
    const value = spot.object[key]
    if (meaning === undefined || value === null) continue
    if (isMessageLike(meaning, value)) {
      likes++
      tells ||= meaning.likeness !== 'generic'
      speaks ||= meaning.likeness === 'speaking'
    }
    if (meaning.step !== undefined && (typeof value === 'object' || holdsText(key, value)))
      (steps ??= []).push({ rank: meaning.step, key, value })
  }
  const enough = likes >= MESSAGE_LIKE_AT_LEAST
  const own = { texts: enough && tells, lists: enough && speaks }
  const inner = steps && left > 0 ? follow(spot, steps, left - 1, own, way) : undefined
  if (inner && inner.likes > 0) return inner
  // An envelope with a type and a time is no message while something stands inside it.
  const isMessage = enough && (tells || inner === undefined)
  return !isMessage && inner ? inner : { likes: isMessage ? likes : 0, places: [{ spot, isMessage }] }
}

// A list inside a message is the message's own, things ordered or an older conversation; so is a text.
function follow(spot: Spot, steps: Step[], left: number, own: Own, way: Way): Found | undefined {
  let best: Found | undefined
  for (const { key, value } of steps.sort((a, b) => a.rank - b.rank)) {
    let found: Found | undefined
    if (Array.isArray(value)) {
      if (own.lists || best?.likes) continue
      found = followList(spot, key, value, left, way)
    } else if (typeof value === 'string') {
      if (own.texts || way.parse === undefined || isTooDeep(value)) continue
      const object = way.parse(value)
      if (isRecord(object)) found = search(inside(spot, key, object), left, { lists: way.lists, without: way.without })
    } else if (isRecord(value)) found = search(inside(spot, key, value), left, way)
    if (found && (best === undefined || found.likes > best.likes)) best = found
  }
  return best
}

const NOTHING: JsonObject = {}

function followList(spot: Spot, key: string, list: readonly unknown[], left: number, way: Way): Found | undefined {
  if (!way.lists || plainName(key) === way.without) return undefined
  let likes = 0
  const places: Place[] = []
  for (const [index, element] of list.entries()) {
    const found = search(
      {
        object: isRecord(element) ? element : NOTHING,
        path: `${join(spot.path, key)}[${index}]`,
        parent: spot,
        key,
        index,
        siblings: list.length,
      },
      left,
      way,
    )
    likes = Math.max(likes, found.likes)
    for (const place of found.places) places.push(place)
  }
  return likes > 0 ? { likes, places } : undefined
}

function inside(spot: Spot, key: string, object: JsonObject): Spot {
  return { object, path: join(spot.path, key), parent: spot, key }
}

export function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

/** Whether a member is an envelope's and holds JSON as text. */
export function holdsText(key: string, value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('{') && MAY_HOLD_TEXT.has(plainName(key))
}
