import type { LockedEvent, PayloadLock, Sightings } from '../../payload/index.ts'

export type Change =
  | {
      readonly event: string
      readonly fact: string
      readonly before: readonly string[]
      readonly after: readonly string[]
    }
  | {
      readonly event: string
      readonly shape: string
      /** How many payloads had it. */
      readonly seen: number
      /** The locked shape that is nearest to it; the first shapes of an event have none. */
      readonly like: string | undefined
      readonly more: readonly string[]
      readonly less: readonly string[]
    }

export function changesBetween(before: PayloadLock | undefined, after: PayloadLock, sightings: Sightings): Change[] {
  return Object.entries(after.events).flatMap(([event, locked]) => {
    // An event may be called like a member of all objects.
    const earlier = before && Object.hasOwn(before.events, event) ? before.events[event] : undefined
    const shapes = Object.entries(locked.shapes).filter(([name]) => !earlier?.shapes[name])
    return [
      ...factChanges(event, earlier?.facts ?? {}, locked.facts),
      ...shapes.map(([shape, places]) => {
        const seen = sightings.get(event)?.shapes.get(shape)?.seen ?? 0
        return { event, shape, seen, ...nearest(places, earlier?.shapes ?? {}) }
      }),
    ]
  })
}

function factChanges(event: string, before: LockedEvent['facts'], after: LockedEvent['facts']): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort() as (keyof LockedEvent['facts'])[]
  return names.flatMap((fact) => {
    const [was, is] = [[...(before[fact] ?? [])].sort(), [...(after[fact] ?? [])].sort()]
    return was.join('\n') === is.join('\n') ? [] : [{ event, fact, before: was, after: is }]
  })
}

function nearest(places: readonly string[], known: LockedEvent['shapes']) {
  let best: { like: string | undefined; more: readonly string[]; less: readonly string[] } | undefined
  for (const [like, others] of Object.entries(known)) {
    const [theirs, ours] = [new Set(others), new Set(places)]
    const found = {
      like,
      more: places.filter((place) => !theirs.has(place)),
      less: others.filter((place) => !ours.has(place)),
    }
    if (!best || found.more.length + found.less.length < best.more.length + best.less.length) best = found
  }
  return best ?? { like: undefined, more: [], less: [] }
}

/** Longer lists are counted: nobody judges them line by line. */
const MOST_PLACES = 12

export function changeText(change: Change): string {
  if ('fact' in change) {
    const { event, fact, before, after } = change
    if (before.length === 0) return `+ ${event}.${fact}: ${after.join(', ')}`
    if (after.length === 0) return `- ${event}.${fact}: guessed from now on, no longer at ${before.join(', ')}`
    return `! ${event}.${fact}: ${before.join(', ')} -> ${after.join(', ')}`
  }
  const { event, shape, seen, like, more, less } = change
  const head = `+ ${event} shape ${shape} (${seen} ${seen === 1 ? 'payload' : 'payloads'})`
  if (like === undefined) return head
  const differences = [...more.map((place) => `+${place}`), ...less.map((place) => `-${place}`)]
  const rest = differences.length > MOST_PLACES ? ` and ${differences.length - MOST_PLACES} more` : ''
  return `${head}, like ${like} but ${differences.slice(0, MOST_PLACES).join(' ')}${rest}`
}
