import type { Message } from './context.ts'
import { fold } from './pattern.ts'
import {
  type DeadHandler,
  type ErrorHandler,
  type EventRoute,
  type Layer,
  type MessageRoute,
  type RouteTable,
  twice,
} from './table.ts'
import type { Seals } from './tap.ts'

/** Where the error of a route goes: to its own table's handlers, then to those around it. */
export interface Boundary {
  readonly errorHandlers: readonly ErrorHandler[]
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
  /** The routes that take this message, in the order in which `next()` goes through them. */
  candidates(message: Message, seals: Seals): Candidate[]
  /** Names what a middleware says, as a route's id does. */
  layerId(layer: Layer): string
  /** What stands before every message, whether or not a route takes it. */
  readonly layers: readonly Layer[]
  readonly events: readonly CompiledEventRoute[]
  readonly root: Boundary
  readonly takesMessages: boolean
}

interface Scope {
  readonly table: RouteTable
  readonly prefix: string
  readonly layers: readonly Layer[]
  readonly boundaries: readonly Boundary[]
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
  const known = new Map<string, number>()
  const layerIds = new Map<Layer, string>()
  let dead = 0

  /** By its order among those of its kind; one that is mounted twice has the place where it comes first. */
  function note(layer: Layer): Layer {
    const before = [...layerIds.keys()].filter(({ kind }) => kind === layer.kind).length
    if (!layerIds.has(layer)) layerIds.set(layer, `${layer.kind}#${before + 1}`)
    return layer
  }

  function enter({ table, prefix, layers: outer, boundaries: around }: Scope): { layers: Layer[]; boundary: Boundary } {
    const boundary: Boundary = {
      errorHandlers: table.errorHandlers,
      deadHandlers: table.deadHandlers.map((handler) => ({ id: `onDead#${++dead}`, handler })),
      layers: outer.filter(({ kind }) => kind === 'with'),
    }
    const boundaries = [boundary, ...around]
    const layers = [...outer]
    const place = (route: MessageRoute): CompiledRoute => ({
      ...route,
      id: `${prefix}${route.id}`,
      layers: [...layers],
      boundaries,
    })
    for (const entry of table.entries)
      if ('route' in entry) routes.push(place(entry.route))
      else if ('child' in entry) {
        const inner = entry.layer ? [...layers, note(entry.layer)] : layers
        const name = entry.child.name === undefined ? prefix : `${prefix}${entry.child.name}/`
        enter({ table: entry.child, prefix: name, layers: inner, boundaries })
      } else layers.push(note(entry.layer))
    if (table.last) lasts.push(place(table.last))
    for (const event of table.events) events.push({ ...event, id: eventId(prefix, event), boundaries })
    return { layers, boundary }
  }

  function eventId(prefix: string, { event, status }: EventRoute): string {
    const id = `${prefix}on:${event}${status === undefined ? '' : `:${status}`}`
    const count = (known.get(id) ?? 0) + 1
    known.set(id, count)
    return count === 1 ? id : `${id}#${count}`
  }

  const top = enter({ table: root, prefix: '', layers: [], boundaries: [] })
  const all = [...routes, ...lasts]
  refuseTwins(all)
  return {
    candidates: indexed(all),
    layerId: (layer) => layerIds.get(layer) ?? layer.kind,
    layers: top.layers,
    events,
    root: top.boundary,
    takesMessages: all.length > 0 || top.layers.length > 0,
  }
}

function refuseTwins(routes: readonly CompiledRoute[]): void {
  const ids = new Set<string>()
  for (const { id } of routes) {
    if (ids.has(id)) throw twice(id)
    ids.add(id)
  }
}

/** Whole texts and whole ids are looked up; only what needs it is tried one after another. */
function indexed(routes: readonly CompiledRoute[]): CompiledRoutes['candidates'] {
  const texts = new Map<string, number[]>()
  const taps = new Map<string, number[]>()
  const tried: number[] = []
  const put = (index: Map<string, number[]>, key: string, at: number) => index.set(key, [...(index.get(key) ?? []), at])
  routes.forEach(({ exact }, at) => {
    if (!exact) tried.push(at)
    else if ('tap' in exact) put(taps, exact.tap, at)
    else for (const text of exact.texts) put(texts, text, at)
  })
  return (message, seals) => {
    const places = new Set(tried)
    for (const at of (message.text !== undefined && texts.get(fold(message.text))) || []) places.add(at)
    for (const at of (message.tapped && taps.get(message.tapped.id)) ?? []) places.add(at)
    return [...places]
      .toSorted((one, two) => one - two)
      .flatMap((at) => {
        const route = routes[at] as CompiledRoute
        const extra = route.match(message, seals)
        return extra ? [{ route, extra }] : []
      })
  }
}
