import { optionsInvalid } from '../../base/errors.ts'
import type { Base, Env, Message } from './context.ts'
import type { EnteredRoute } from './entered.ts'
import type { Handler } from './routes.ts'
import {
  type ClosingRoute,
  type DeadHandler,
  type ErrorHandler,
  type EventRoute,
  type Layer,
  type MessageRoute,
  type OptOutRules,
  PREDICATE,
  routedTwice,
  type RouteTable,
  type MessagePreview,
} from './table.ts'
import type { TapVerifier } from './tap.ts'

/** The error handlers of one table. An error goes to those of its route's table, then to the tables around it. */
export interface Boundary {
  readonly errorHandlers: readonly { readonly id: string; readonly handler: ErrorHandler }[]
  readonly deadHandlers: readonly { readonly id: string; readonly handler: DeadHandler }[]
  /** The `with` layers that run before these handlers. */
  readonly layers: readonly Layer[]
}

export interface CompiledRoute extends MessageRoute {
  /** Outermost first. */
  readonly layers: readonly Layer[]
  /** Innermost first. */
  readonly boundaries: readonly Boundary[]
  readonly inSilence: boolean
}

/** A handler of anything but a message. */
export interface CompiledHandler {
  readonly id: string
  readonly handler: Handler<Base<Env>>
  readonly boundaries: readonly Boundary[]
}

export interface CompiledEntered {
  readonly id: string
  readonly name: string
  readonly definition: EnteredRoute
  readonly layers: readonly Layer[]
  readonly boundaries: readonly Boundary[]
}

export interface Candidate {
  readonly route: CompiledRoute
  readonly extra: object
}

export interface CompiledRoutes {
  /**
   * Yields the routes that match, in the order of `next()`. Each is matched only when it is reached. For a bundle: the
   * routes of the last message, then of the one before it, and so on, and `otherwise` last. A signal matches only
   * routes of its kind.
   */
  candidates(
    messages: readonly Message[],
    taps: TapVerifier,
    which: WhichRoutes,
    o?: { readonly isSignal: boolean },
  ): Iterator<Candidate>
  /** True if a route may match that gets each message alone, never as part of a bundle. */
  isHandledAlone(message: MessagePreview): boolean
  layerInfo(layer: Layer): LayerInfo
  /** The layers that run for every message, even without a matching route. */
  readonly layers: readonly Layer[]
  readonly events: readonly (EventRoute & CompiledHandler)[]
  readonly failedSends: readonly CompiledHandler[]
  readonly closings: readonly (ClosingRoute & CompiledHandler)[]
  /** By id. */
  readonly entered: ReadonlyMap<string, CompiledEntered>
  readonly optOuts: Pick<OptOutRules, 'says' | 'told'> | undefined
  /** The error handlers for code that belongs to no route. */
  readonly boundaries: readonly Boundary[]
  readonly takesMessages: boolean
  /** True if a route gets messages without known content. */
  readonly takesUnknown: boolean
  readonly count: number
}

/** `silent`: the routes that are for silences. `ordinary`: the others. */
export type WhichRoutes = 'ordinary' | 'silent' | 'all'

export interface LayerInfo {
  /** Part of the slots of the layer's replies. */
  readonly id: string
  readonly boundaries: readonly Boundary[]
}

interface Scope {
  readonly table: RouteTable
  readonly prefix: string
  readonly layers: readonly Layer[]
  readonly boundaries: readonly Boundary[]
  readonly entry: Layer | undefined
  /** The method that registered the table, if its routes run only in a silence. */
  readonly inSilence: string | undefined
}

/** Lists the routes of all mounted tables. @throws SwitchhookError `options_invalid` if two routes have the same id. */
export function compile(root: RouteTable): CompiledRoutes {
  const compiled = new Compilation(root)
  const top = compiled.addTable({
    table: root,
    prefix: '',
    layers: [],
    boundaries: [],
    entry: undefined,
    inSilence: undefined,
  })
  const { routes, lasts, events, failedSends, closings, entered, layerInfos } = compiled
  const all = [...routes, ...lasts]
  const alone = routes.flatMap((route) => route.matchesAlone ?? [])
  if (root.optOuts) refuseWordsOfOthers(root.optOuts, routes, entered.values())
  return {
    candidates: candidatesOf(routes, lasts),
    isHandledAlone: (message) => alone.some((takes) => takes(message)),
    layerInfo: (layer) => layerInfos.get(layer) ?? { id: layer.kind, boundaries: top.boundaries },
    layers: top.layers,
    events,
    failedSends,
    closings,
    entered,
    optOuts: root.optOuts && optOutsBeside(root.optOuts, routes),
    boundaries: top.boundaries,
    takesMessages: all.length + entered.size > 0 || top.layers.length > 0 || root.optOuts !== undefined,
    takesUnknown: routes.some(({ kind }) => kind === 'unknown'),
    count: all.length + events.length + closings.length,
  }
}

class Compilation {
  readonly #root: RouteTable
  readonly routes: CompiledRoute[] = []
  readonly lasts: CompiledRoute[] = []
  readonly events: CompiledRoutes['events'][number][] = []
  readonly failedSends: CompiledHandler[] = []
  readonly closings: CompiledRoutes['closings'][number][] = []
  readonly entered = new Map<string, CompiledEntered>()
  readonly layerInfos = new Map<Layer, LayerInfo>()
  readonly #counted = new Map<string, number>()
  readonly #known = new Map<string, string>()

  constructor(root: RouteTable) {
    this.#root = root
  }

  addTable(scope: Scope): Pick<Scope, 'layers' | 'boundaries'> {
    const { table, prefix, layers: before, boundaries: around, entry: tableEntry, inSilence } = scope
    if (inSilence !== undefined) refuseOthers(table, inSilence)
    if (table.optOuts && table !== this.#root)
      throw optionsInvalid('optOuts(): pass the bot itself, not routes that it mounts')
    const outer = tableEntry ? [...before, tableEntry] : before
    const boundary: Boundary = {
      errorHandlers: table.errorHandlers.map((handler) => ({ id: this.#next('onError'), handler })),
      deadHandlers: table.deadHandlers.map((handler) => ({ id: this.#next('onDead'), handler })),
      layers: outer.filter(({ kind }) => kind === 'with'),
    }
    const boundaries = [boundary, ...around]
    // An error in a `with` layer goes first to the error handlers of the table behind it.
    if (tableEntry) this.#noteLayer(tableEntry, tableEntry.kind === 'with' ? boundaries : around)
    const layers = [...outer]
    const compiled = (route: MessageRoute): CompiledRoute => {
      const id = route.id === PREDICATE ? this.#next(`${prefix}${PREDICATE}`) : `${prefix}${route.id}`
      const { words = [], onlyWords } = route
      refuseTwin(this.#known, id, onlyWords ? JSON.stringify([prefix, ...[...words].sort()]) : undefined)
      return { ...route, id, layers: [...layers], boundaries, inSilence: inSilence !== undefined }
    }
    for (const entry of table.entries)
      if ('route' in entry) this.routes.push(compiled(entry.route))
      else if ('child' in entry) {
        const { child, layer } = entry
        const inside = inSilence ?? entry.inSilence
        const name = child.name === undefined ? prefix : `${prefix}${child.name}/`
        this.addTable({ table: child, prefix: name, layers, boundaries, entry: layer, inSilence: inside })
      } else if ('entered' in entry) {
        const { entered: definition } = entry
        const name = `${prefix}${definition.name}`
        const id = `${definition.kind}:${name}`
        if (this.entered.has(id))
          throw optionsInvalid(
            `two ${definition.kind}s are called "${name}": rename one, or give the mounted routes a name`,
          )
        this.entered.set(id, { id, name, definition, layers: [...layers], boundaries })
      } else layers.push(this.#noteLayer(entry.layer, boundaries))
    if (table.last) this.lasts.push(compiled(table.last))
    for (const handler of table.failedSendHandlers)
      this.failedSends.push({ id: this.#next('onSendFailed'), handler, boundaries })
    for (const closing of table.closings)
      this.closings.push({ ...closing, id: this.#numbered(`${prefix}onWindowClosing:${closing.beforeMs}`), boundaries })
    for (const event of table.events) {
      const { event: name, status } = event
      const id = this.#numbered(`${prefix}on:${name}${status === undefined ? '' : `:${status}`}`)
      this.events.push({ ...event, id, boundaries })
    }
    return { layers, boundaries }
  }

  /** Names a route by its order among routes of the same kind. */
  #next(kind: string): string {
    const count = (this.#counted.get(kind) ?? 0) + 1
    this.#counted.set(kind, count)
    return `${kind}#${count}`
  }

  /** Names a layer where it is mounted first. If it is mounted again, it keeps this name. */
  #noteLayer(layer: Layer, boundaries: readonly Boundary[]): Layer {
    if (!this.layerInfos.has(layer)) this.layerInfos.set(layer, { id: this.#next(layer.kind), boundaries })
    return layer
  }

  #numbered(id: string): string {
    const counted = this.#next(id)
    return counted === `${id}#1` ? id : counted
  }
}

/** A table for silences has only routes for messages: everything else is handled the same in a silence and outside. */
function refuseOthers({ events, closings, failedSendHandlers, entries }: RouteTable, method: string): void {
  if (events.length + closings.length + failedSendHandlers.length > 0 || entries.some((entry) => 'entered' in entry))
    throw optionsInvalid(`${method}(): only routes for messages belong inside it: register the others outside`)
}

function refuseWordsOfOthers(
  { words, formOf }: OptOutRules,
  routes: readonly CompiledRoute[],
  entered: Iterable<CompiledEntered>,
): void {
  const used = [
    ...routes.flatMap(({ id, words = [], tapWord = [] }) => [...words, tapWord].flat().map((word) => ({ id, word }))),
    ...[...entered].flatMap(({ name, definition: { kind, words, wordsOption } }) =>
      words.map((word) => ({ id: `the ${wordsOption} of the ${kind} "${name}"`, word })),
    ),
  ]
  const both = used.find(({ word }) => words.has(formOf(word)))
  if (both)
    throw optionsInvalid(
      `the word "${both.word}" is used by optOuts() and by ${both.id}: it would unsubscribe customers. Remove it from one of them, for example by optOuts(bot, { without: ['${both.word}'] })`,
    )
}

/** A tap that a route handles is no opt-out. */
function optOutsBeside({ says, told }: OptOutRules, routes: readonly CompiledRoute[]): CompiledRoutes['optOuts'] {
  const isRouted = (id: string) => routes.some(({ takesTap }) => takesTap?.(id) === true)
  return { told, says: (message) => (message.tapped && isRouted(message.tapped.id) ? undefined : says(message)) }
}

/** Two routes are the same by their ids, or by words that differ only in order or in what is ignored. */
function refuseTwin(known: Map<string, string>, id: string, words: string | undefined): void {
  const first = known.get(id) ?? (words === undefined ? undefined : known.get(words))
  if (first !== undefined) throw routedTwice(first, id)
  known.set(id, id)
  if (words !== undefined) known.set(words, id)
}

function candidatesOf(routes: readonly CompiledRoute[], lasts: readonly CompiledRoute[]): CompiledRoutes['candidates'] {
  return (messages, taps, which, { isSignal } = { isSignal: false }) => {
    const runs = ({ inSilence }: CompiledRoute) => which === 'all' || inSilence === (which === 'silent')
    const some = routes.filter((route) => runs(route) && (!isSignal || route.kind !== undefined))
    const last = isSignal ? [] : lasts.filter(runs)
    return messages.length === 1
      ? matching([...some, ...last], messages[0] as Message, taps)
      : ofBundle(messages, taps, some, last)
  }
}

function* matching(routes: readonly CompiledRoute[], message: Message, taps: TapVerifier): Generator<Candidate, void> {
  for (const route of routes) {
    const extra = route.match(message, taps)
    if (extra) yield { route, extra }
  }
}

/** Each route matches a bundle once, for the last message that it matches. Its context shows that message. */
function* ofBundle(
  messages: readonly Message[],
  taps: TapVerifier,
  routes: readonly CompiledRoute[],
  lasts: readonly CompiledRoute[],
): Generator<Candidate, void> {
  const before = new Set<CompiledRoute>()
  for (const message of messages.toReversed())
    for (const { route, extra } of matching(routes, message, taps)) {
      if (before.has(route)) continue
      before.add(route)
      yield { route, extra: { ...extra, message } }
    }
  yield* matching(lasts, messages.at(-1) as Message, taps)
}
