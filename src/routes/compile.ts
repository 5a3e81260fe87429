import type { Message } from './context.ts'
import { foldWithin } from './pattern.ts'
import {
  type DeadHandler,
  type ErrorHandler,
  type EventRoute,
  type Layer,
  type MessageRoute,
  PREDICATE,
  type RouteTable,
  twice,
} from './table.ts'
import type { TapOpener } from './tap.ts'

/** Where the error of a route goes: to its own table's handlers, then to those around it. */
export interface Boundary {
  readonly errorHandlers: readonly { readonly id: string; readonly handler: ErrorHandler }[]
  readonly deadHandlers: readonly { readonly id: string; readonly handler: DeadHandler }[]
  /** What makes the context that its handlers expect. */
  readonly layers: readonly Layer[]
}

export interface CompiledRoute extends MessageRoute {
  /** What stands before it, from the outside in. */
  readonly layers: readonly Layer[]
  /** From the inside out. */
  readonly boundaries: readonly Boundary[]
}

export interface CompiledEventRoute extends EventRoute {
  readonly id: string
  readonly boundaries: readonly Boundary[]
}

export interface Candidate {
  readonly route: CompiledRoute
  readonly extra: object
}

/** All routes of a bot in one list. */
export interface CompiledRoutes {
  /** The routes that take this message, in the order in which `next()` goes through them; asked only as far as it goes. */
  candidates(message: Message, opener: TapOpener): Iterator<Candidate>
  /** Names what a middleware says, as a route's id does, and says who hears of its failure. */
  standing(layer: Layer): Standing
  /** What stands before every message, whether or not a route takes it. */
  readonly layers: readonly Layer[]
  readonly events: readonly CompiledEventRoute[]
  /** Of what belongs to no route. */
  readonly boundaries: readonly Boundary[]
  readonly takesMessages: boolean
}

export interface Standing {
  readonly id: string
  readonly boundaries: readonly Boundary[]
}

interface Scope {
  readonly table: RouteTable
  readonly prefix: string
  readonly layers: readonly Layer[]
  readonly boundaries: readonly Boundary[]
  /** What stands before all of it. */
  readonly door: Layer | undefined
}

/**
 * Makes one list of a table and of all that is mounted in it.
 *
 * @throws SwitchhookError `options_invalid` where two routes have one id.
 */
export function compile(root: RouteTable): CompiledRoutes {
  const routes: CompiledRoute[] = []
  const lasts: CompiledRoute[] = []
  const events: CompiledEventRoute[] = []
  const standings = new Map<Layer, Standing>()
  const counted = new Map<string, number>()
  const known = new Map<string, string>()

  /** By its order among those of its kind. */
  function next(kind: string): string {
    const count = (counted.get(kind) ?? 0) + 1
    counted.set(kind, count)
    return `${kind}#${count}`
  }

  /** One that is mounted twice has the place where it comes first. */
  function note(layer: Layer, boundaries: readonly Boundary[]): Layer {
    if (!standings.has(layer)) standings.set(layer, { id: next(layer.kind), boundaries })
    return layer
  }

  function enter({
    table,
    prefix,
    layers: before,
    boundaries: around,
    door,
  }: Scope): Pick<Scope, 'layers' | 'boundaries'> {
    const outer = door ? [...before, door] : before
    const boundary: Boundary = {
      errorHandlers: table.errorHandlers.map((handler) => ({ id: next('onError'), handler })),
      deadHandlers: table.deadHandlers.map((handler) => ({ id: next('onDead'), handler })),
      layers: outer.filter(({ kind }) => kind === 'with'),
    }
    const boundaries = [boundary, ...around]
    // Routes made by `with` have no other table in which to hear that their vars could not be had.
    if (door) note(door, door.kind === 'with' ? boundaries : around)
    const layers = [...outer]
    const place = (route: MessageRoute): CompiledRoute => {
      const id = route.id === PREDICATE ? next(`${prefix}${PREDICATE}`) : `${prefix}${route.id}`
      refuseTwin(known, id, wordsOf(route, prefix))
      return { ...route, id, layers: [...layers], boundaries }
    }
    for (const entry of table.entries)
      if ('route' in entry) routes.push(place(entry.route))
      else if ('child' in entry) {
        const { child, layer: door } = entry
        const name = child.name === undefined ? prefix : `${prefix}${child.name}/`
        enter({ table: child, prefix: name, layers, boundaries, door })
      } else layers.push(note(entry.layer, boundaries))
    if (table.last) lasts.push(place(table.last))
    for (const event of table.events) events.push({ ...event, id: eventId(prefix, event), boundaries })
    return { layers, boundaries }
  }

  function eventId(prefix: string, { event, status }: EventRoute): string {
    const id = `${prefix}on:${event}${status === undefined ? '' : `:${status}`}`
    const numbered = next(id)
    return numbered === `${id}#1` ? id : numbered
  }

  const top = enter({ table: root, prefix: '', layers: [], boundaries: [], door: undefined })
  const all = [...routes, ...lasts]
  return {
    candidates: indexed(all),
    standing: (layer) => standings.get(layer) ?? { id: layer.kind, boundaries: top.boundaries },
    layers: top.layers,
    events,
    boundaries: top.boundaries,
    takesMessages: all.length > 0 || top.layers.length > 0,
  }
}

/** By these two routes are known as one: by their id, or by words that only case, accents or order tell apart. */
function refuseTwin(known: Map<string, string>, id: string, words: string | undefined): void {
  const first = known.get(id) ?? (words === undefined ? undefined : known.get(words))
  if (first !== undefined) throw twice(first, id)
  known.set(id, id)
  if (words !== undefined) known.set(words, id)
}

function wordsOf({ exact }: MessageRoute, prefix: string): string | undefined {
  return exact && 'texts' in exact ? JSON.stringify([prefix, ...[...exact.texts].sort()]) : undefined
}

/** Whole texts and whole ids are looked up; only what needs it is tried one after another. */
function indexed(routes: readonly CompiledRoute[]): CompiledRoutes['candidates'] {
  const texts = new Map<string, number[]>()
  const taps = new Map<string, number[]>()
  const tried: number[] = []
  routes.forEach(({ exact }, at) => {
    if (!exact) tried.push(at)
    else if ('tap' in exact) put(taps, exact.tap, at)
    else for (const text of exact.texts) put(texts, text, at)
  })
  const longest = Math.max(0, ...[...texts.keys()].map(({ length }) => length))
  const saying = (text: string | undefined) => {
    const folded = text === undefined || texts.size === 0 ? undefined : foldWithin(text, longest)
    return folded === undefined ? undefined : texts.get(folded)
  }
  return (message, opener) => {
    const said = saying(message.text) ?? NONE
    const chosen = (message.tapped && taps.get(message.tapped.id)) ?? NONE
    const places = inOrder(said, chosen, tried)
    let place = 0
    return {
      next() {
        while (place < places.length) {
          const route = routes[places[place++] as number] as CompiledRoute
          const extra = route.exact ? extraOf(route.exact) : route.match(message, opener)
          if (extra) return { done: false, value: { route, extra } }
        }
        return { done: true, value: undefined }
      },
    }
  }
}

const NONE: readonly number[] = []

function extraOf(exact: NonNullable<MessageRoute['exact']>): object {
  return 'tap' in exact ? { params: {} } : {}
}

function put(index: Map<string, number[]>, key: string, at: number): void {
  const places = index.get(key)
  if (places) places.push(at)
  else index.set(key, [at])
}

/** Each list is in order already, and most messages find nothing in the first two. */
function inOrder(said: readonly number[], chosen: readonly number[], tried: readonly number[]): readonly number[] {
  if (said.length + chosen.length === 0) return tried
  return [...said, ...chosen, ...tried].sort((one, two) => one - two)
}
