import type { PayloadAlarm, PayloadReading, Reading, Shape, View } from './facts.ts'
import { shapePath } from './shape.ts'

/** Counts of payloads of one shape. Times are wall time. */
export interface ShapeCount extends Pick<Shape, 'paths' | 'truncated'> {
  readonly event: string
  /** Empty for the shapes that came when there was no room. */
  readonly fingerprint: string
  deliveries: number
  messages: number
  readonly firstAt: number
  lastAt: number
}

/** Counts of a fact, or of a doubt about one, at one path. */
export interface FactCount {
  readonly event: string
  readonly fact: string
  /** As in a shape; empty for the paths that came when there was no room. */
  readonly path: string
  /** How the fact was found there, or a doubt. */
  readonly how: string
  /** Messages. */
  seen: number
  sure: number
  readonly firstAt: number
  lastAt: number
}

interface EventCounts {
  readonly event: string
  readonly shapes: Map<string, ShapeCount>
  readonly facts: Map<string, FactCount[]>
  /** Those of the last message. */
  readonly latest: FactCount[]
  paths: number
}

// In memory until they are taken. Whoever may sign a delivery may vary its shape, so they are bounded.
const MOST_EVENTS = 32
const MOST_SHAPES = 64
const MOST_PATHS = 256
const MOST_KNOWN = 2_048

/** Counts shapes, and the paths of facts, of the payloads that were read; no value is kept. */
export class Observations {
  #events = new Map<string, EventCounts>()
  readonly #known = new Set<string>()

  /** True if this shape is new among those that were counted, also among those taken before. */
  add(event: string, { shape: shapeOf, views }: Extract<PayloadReading, { views: unknown }>, at: number): boolean {
    const shape = shapeOf()
    const counts = this.#events.get(event) ?? this.#begin(event)
    for (const view of views) countView(counts, view, at)
    return !countAgain(counts, shape, views.length, at) && this.#isNew(`${event} ${shape.fingerprint}`)
  }

  #begin(event: string): EventCounts {
    const name = this.#events.size < MOST_EVENTS ? event : ''
    const begun = this.#events.get(name) ?? { event: name, shapes: new Map(), facts: new Map(), latest: [], paths: 0 }
    this.#events.set(name, begun)
    return begun
  }

  get isEmpty(): boolean {
    return this.#events.size === 0
  }

  /** Takes all that was counted since the last time. */
  take(): { readonly shapes: ShapeCount[]; readonly facts: FactCount[] } {
    const events = [...this.#events.values()]
    this.#events = new Map()
    return {
      shapes: events.flatMap(({ shapes }) => [...shapes.values()]),
      facts: events.flatMap(({ facts }) => [...facts.values()].flat()),
    }
  }

  #isNew(shape: string): boolean {
    if (this.#known.has(shape)) return false
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.add(shape)
    return true
  }
}

/** True if the shape was counted since the last time. */
function countAgain({ event, shapes }: EventCounts, shape: Shape, messages: number, at: number): boolean {
  const { paths, truncated } = shape
  let { fingerprint } = shape
  let known = shapes.get(fingerprint)
  if (!known && shapes.size >= MOST_SHAPES) known = shapes.get((fingerprint = ''))
  if (!known) {
    const first = { event, fingerprint, deliveries: 1, messages, firstAt: at, lastAt: at }
    shapes.set(fingerprint, { ...first, truncated, paths: fingerprint === '' ? [] : paths })
    return false
  }
  known.deliveries++
  known.messages += messages
  known.lastAt = at
  return fingerprint !== ''
}

function countView(counts: EventCounts, { facts, own, alarms }: View, at: number): void {
  let index = 0
  for (const fact in facts) countReading(counts, index++, fact, facts[fact as keyof typeof facts], at)
  for (const fact in own) countReading(counts, index++, fact, own[fact], at)
  for (const { code, fact, path } of alarms) {
    const doubt = DOUBTS[code]
    if (doubt !== undefined && fact !== undefined) countAt(countOf(counts, fact, path ?? '', doubt, at), false, at)
  }
}

/** The alarms that cast doubt on a fact, as the report calls them. */
const DOUBTS: { readonly [C in PayloadAlarm['code']]?: string } = {
  fact_conflict: 'conflict',
  fact_unreadable: 'unreadable',
  fact_assumed: 'assumed',
  unsafe_number: 'digits lost',
  customer_number_hidden: 'hidden',
  unknown_kind: 'unknown value',
  unknown_status: 'unknown value',
}

/** @param index of the fact among those of its message: mostly it stands where that of the last message stood. */
function countReading(
  counts: EventCounts,
  index: number,
  fact: string,
  reading: Reading<unknown> | undefined,
  at: number,
): void {
  if (!reading) return
  const { path, how } = reading
  let count = counts.latest[index]
  if (count?.fact !== fact || count.path !== path || count.how !== how)
    counts.latest[index] = count = countOf(counts, fact, path, how, at)
  countAt(count, reading.sure, at)
}

function countAt(count: FactCount, sure: boolean, at: number): void {
  count.seen++
  if (sure) count.sure++
  count.lastAt = at
}

function countOf(counts: EventCounts, fact: string, path: string, how: string, at: number): FactCount {
  let places = counts.facts.get(fact)
  if (!places) counts.facts.set(fact, (places = []))
  for (const place of places) if (place.path === path && place.how === how) return place
  const shaped = placeOf(path)
  if (shaped !== path) return countOf(counts, fact, shaped, how, at)
  if (counts.paths >= MOST_PATHS && path !== '') return countOf(counts, fact, '', how, at)
  counts.paths++
  const begun = { event: counts.event, fact, path, how, seen: 0, sure: 0, firstAt: at, lastAt: at }
  places.push(begun)
  return begun
}

// The names of a path are those that the reader looks for, or the app's own: without an index it is as in a shape.
function placeOf(path: string): string {
  return path.includes('[') ? shapePath(path) : path
}
