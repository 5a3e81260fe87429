import type { Base, Env, Message } from './context.ts'
import { foldWithin } from './pattern.ts'
import type { Handler } from './routes.ts'
import {
  type DeadHandler,
  type ErrorHandler,
  type EventRoute,
  type Layer,
  type MessageRoute,
  PREDICATE,
  type RouteTable,
  routedTwice,
  type Saying,
} from './table.ts'
import type { TapOpener } from './tap.ts'

/**
 * The error handlers of one table. An error goes to those of its route's table, then to those of the tables around it.
 */
export interface Boundary {
  readonly errorHandlers: readonly { readonly id: string; readonly handler: ErrorHandler }[]
  readonly deadHandlers: readonly { readonly id: string; readonly handler: DeadHandler }[]
  /** The `with` layers that make the context which these handlers expect. */
  readonly layers: readonly Layer[]
}

export interface CompiledRoute extends MessageRoute {
  /** The layers in front of the route, outermost first. */
  readonly layers: readonly Layer[]
  /** Innermost first. */
  readonly boundaries: readonly Boundary[]
}

/** A handler of something that is no message; each has its own progress. */
export interface CompiledHandler {
  readonly id: string
  readonly handler: Handler<Base<Env>>
  readonly boundaries: readonly Boundary[]
}

export interface CompiledEventRoute extends EventRoute, CompiledHandler {}

export interface Candidate {
  readonly route: CompiledRoute
  readonly extra: object
}

/** All routes of a bot in one list. */
export interface CompiledRoutes {
  /**
   * The routes that take a message, in the order of `next()`. Each is matched only when the iterator reaches it. Of a
   * burst the last message is asked for first: where no route takes it, the one before it, and `otherwise` at the end.
   */
  candidates(messages: readonly Message[], opener: TapOpener): Iterator<Candidate>
  /** A route that has opted out of bursts may take this message. */
  standsAlone(message: Saying): boolean
  /** The id that names a layer's replies, as a route's id does, and the boundaries that hear of its failure. */
  layerInfo(layer: Layer): LayerInfo
  /** The layers that every message goes through, whether or not a route takes it. */
  readonly layers: readonly Layer[]
  readonly events: readonly CompiledEventRoute[]
  readonly failedSends: readonly CompiledHandler[]
  /** The boundaries of code that belongs to no route. */
  readonly boundaries: readonly Boundary[]
  readonly takesMessages: boolean
  /** How many routes there are, for messages and for events. */
  readonly count: number
}

export interface LayerInfo {
  readonly id: string
  readonly boundaries: readonly Boundary[]
}

interface Scope {
  readonly table: RouteTable
  readonly prefix: string
  readonly layers: readonly Layer[]
  readonly boundaries: readonly Boundary[]
  /** The layer in front of the whole table. */
  readonly entry: Layer | undefined
}

/**
 * Makes one list of a table and of all tables mounted in it.
 *
 * @throws SwitchhookError `options_invalid` if two routes have the same id.
 */
export function compile(root: RouteTable): CompiledRoutes {
  const routes: CompiledRoute[] = []
  const lasts: CompiledRoute[] = []
  const events: CompiledEventRoute[] = []
  const failedSends: CompiledHandler[] = []
  const layerInfos = new Map<Layer, LayerInfo>()
  const counted = new Map<string, number>()
  const known = new Map<string, string>()

  /** A name by order among those of the same kind. */
  function next(kind: string): string {
    const count = (counted.get(kind) ?? 0) + 1
    counted.set(kind, count)
    return `${kind}#${count}`
  }

  /** A layer that is mounted twice is named by its first place. */
  function noteLayer(layer: Layer, boundaries: readonly Boundary[]): Layer {
    if (!layerInfos.has(layer)) layerInfos.set(layer, { id: next(layer.kind), boundaries })
    return layer
  }

  function addTable({
    table,
    prefix,
    layers: before,
    boundaries: around,
    entry: tableEntry,
  }: Scope): Pick<Scope, 'layers' | 'boundaries'> {
    const outer = tableEntry ? [...before, tableEntry] : before
    const boundary: Boundary = {
      errorHandlers: table.errorHandlers.map((handler) => ({ id: next('onError'), handler })),
      deadHandlers: table.deadHandlers.map((handler) => ({ id: next('onDead'), handler })),
      layers: outer.filter(({ kind }) => kind === 'with'),
    }
    const boundaries = [boundary, ...around]
    // If `with` itself fails, the routes that it made hear of it: no other table is nearer.
    if (tableEntry) noteLayer(tableEntry, tableEntry.kind === 'with' ? boundaries : around)
    const layers = [...outer]
    const place = (route: MessageRoute): CompiledRoute => {
      const id = route.id === PREDICATE ? next(`${prefix}${PREDICATE}`) : `${prefix}${route.id}`
      refuseTwin(known, id, wordsOf(route, prefix))
      return { ...route, id, layers: [...layers], boundaries }
    }
    for (const entry of table.entries)
      if ('route' in entry) routes.push(place(entry.route))
      else if ('child' in entry) {
        const { child, layer } = entry
        const name = child.name === undefined ? prefix : `${prefix}${child.name}/`
        addTable({ table: child, prefix: name, layers, boundaries, entry: layer })
      } else layers.push(noteLayer(entry.layer, boundaries))
    if (table.last) lasts.push(place(table.last))
    for (const handler of table.failedSendHandlers) failedSends.push({ id: next('onSendFailed'), handler, boundaries })
    for (const event of table.events) events.push({ ...event, id: eventId(prefix, event), boundaries })
    return { layers, boundaries }
  }

  function eventId(prefix: string, { event, status }: EventRoute): string {
    const id = `${prefix}on:${event}${status === undefined ? '' : `:${status}`}`
    const numbered = next(id)
    return numbered === `${id}#1` ? id : numbered
  }

  const top = addTable({ table: root, prefix: '', layers: [], boundaries: [], entry: undefined })
  const all = [...routes, ...lasts]
  const alone = routes.flatMap((route) => route.alone ?? [])
  return {
    candidates: indexRoutes(routes, lasts),
    standsAlone: (message) => alone.some((takes) => takes(message)),
    layerInfo: (layer) => layerInfos.get(layer) ?? { id: layer.kind, boundaries: top.boundaries },
    layers: top.layers,
    events,
    failedSends,
    boundaries: top.boundaries,
    takesMessages: all.length > 0 || top.layers.length > 0,
    count: all.length + events.length,
  }
}

/** Two routes are the same by their id, or by words that differ in case, accents or order alone. */
function refuseTwin(known: Map<string, string>, id: string, words: string | undefined): void {
  const first = known.get(id) ?? (words === undefined ? undefined : known.get(words))
  if (first !== undefined) throw routedTwice(first, id)
  known.set(id, id)
  if (words !== undefined) known.set(words, id)
}

function wordsOf({ exact }: MessageRoute, prefix: string): string | undefined {
  return exact && 'texts' in exact ? JSON.stringify([prefix, ...[...exact.texts].sort()]) : undefined
}

type Find = (message: Message, opener: TapOpener) => Iterator<Candidate>

function indexRoutes(routes: readonly CompiledRoute[], lasts: readonly CompiledRoute[]): CompiledRoutes['candidates'] {
  const find = indexed([...routes, ...lasts])
  const [findRoute, findLast] = [indexed(routes), indexed(lasts)]
  return (messages, opener) => {
    const last = messages.at(-1) as Message
    return messages.length === 1 ? find(last, opener) : ofBurst(messages, opener, findRoute, findLast)
  }
}

/** Each route takes a burst once, for the last message that it takes; its context shows that message. */
function* ofBurst(
  messages: readonly Message[],
  opener: TapOpener,
  findRoute: Find,
  findLast: Find,
): Generator<Candidate> {
  const before = new Set<CompiledRoute>()
  for (const message of messages.toReversed())
    for (const { route, extra } of found(findRoute(message, opener))) {
      if (before.has(route)) continue
      before.add(route)
      yield { route, extra: { ...extra, message } }
    }
  yield* found(findLast(messages.at(-1) as Message, opener))
}

function found(candidates: Iterator<Candidate>): Iterable<Candidate> {
  return { [Symbol.iterator]: () => candidates }
}

/** Whole texts and whole ids are looked up; only the other routes are tried one after another. */
function indexed(routes: readonly CompiledRoute[]): Find {
  const texts = new Map<string, number[]>()
  const taps = new Map<string, number[]>()
  const tried: number[] = []
  routes.forEach(({ exact }, at) => {
    if (!exact) tried.push(at)
    else if ('tap' in exact) put(taps, exact.tap, at)
    else for (const text of exact.texts) put(texts, text, at)
  })
  const longest = Math.max(0, ...[...texts.keys()].map(({ length }) => length))
  const routesHearing = (text: string | undefined) => {
    const folded = text === undefined || texts.size === 0 ? undefined : foldWithin(text, longest)
    return folded === undefined ? undefined : texts.get(folded)
  }
  return (message, opener) => {
    const byText = routesHearing(message.text) ?? NONE
    const byTap = (message.tapped && taps.get(message.tapped.id)) ?? NONE
    const places = inOrder(byText, byTap, tried)
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

/** Each list is sorted already, and most messages find nothing in the first two. */
function inOrder(byText: readonly number[], byTap: readonly number[], tried: readonly number[]): readonly number[] {
  if (byText.length + byTap.length === 0) return tried
  return [...byText, ...byTap, ...tried].sort((one, two) => one - two)
}
