import { SwitchhookError } from '../base/errors.ts'
import { checkFilled, checkHandler, checkWords } from './check-route.ts'
import type { Base, Env, Message, MessageContext } from './context.ts'
import { hearing, patternId, tapping, type Word } from './pattern.ts'
import type { Handler } from './routes.ts'
import { type Tap, tapIn, type TapOpener } from './tap.ts'
import type { Verdict } from './verdict.ts'

/** What a route adds to the context where it matches; undefined where it does not. */
export type Match = (message: Message, opener: TapOpener) => object | undefined

/** Predicates have no name: they go by their order among those of their table's name. */
export const PREDICATE = 'hears:'

export interface MessageRoute {
  readonly id: string
  readonly match: Match
  readonly handler: Handler<never>
  /** Found without a look at the others, and without `match`: the whole folded text, or the id of the option. */
  readonly exact?: { readonly texts: readonly string[] } | { readonly tap: string }
}

export interface EventRoute {
  readonly event: string
  /** Of `message.status:delivered`: the status. */
  readonly status: string | undefined
  readonly handler: Handler<Base<Env>>
}

/** What stands before a route: a middleware, a condition, or what makes more of the context. */
export interface Layer {
  readonly kind: 'use' | 'when' | 'with'
  readonly run: (ctx: never, next: never) => unknown
}

export type ErrorHandler = (error: unknown, ctx: Base<Env>) => Verdict | void | Promise<Verdict | void>
export type DeadHandler = (error: unknown, ctx: MessageContext<Env>) => unknown

/** One place of a table, in the order of registration. */
export type Entry =
  | { readonly route: MessageRoute }
  | { readonly layer: Layer }
  | { readonly child: RouteTable; readonly layer: Layer | undefined }

/** The routes of one `createBot` or `routes`, as they were registered; `compile` makes them one list. */
export class RouteTable {
  readonly entries: Entry[] = []
  readonly events: EventRoute[] = []
  readonly errorHandlers: ErrorHandler[] = []
  readonly deadHandlers: DeadHandler[] = []
  last: MessageRoute | undefined
  /** Stands before the ids of its routes, so that two tables may have a route of one name. */
  readonly name: string | undefined
  readonly #ids = new Set<string>()
  #closed = false

  constructor(name?: string) {
    if (name !== undefined) checkFilled('routes', name)
    this.name = name
  }

  /** A running bot's routes stand as they were when it was started. */
  close(closed: boolean): void {
    this.#closed = closed
    for (const entry of this.entries) if ('child' in entry) entry.child.close(closed)
  }

  add(entry: Entry): void {
    this.#checkOpen()
    this.entries.push(entry)
  }

  hears(what: Word | readonly Word[] | ((text: string) => boolean), handler: Handler<never>): void {
    checkWords(what)
    checkHandler('hears', handler)
    const id = typeof what === 'function' ? PREDICATE : `hears:${patternId(what)}`
    const { exact, hears } = hearing(what)
    this.#add({
      id,
      match: ({ text }) => (text === undefined ? undefined : hears(text)),
      handler,
      ...(exact && { exact: { texts: exact } }),
    })
  }

  tapped(what: string | Tap<unknown>, handler: Handler<never>, o: { stale?: Handler<never> } = {}): void {
    checkHandler('tapped', handler)
    if (typeof what !== 'string') return this.#tappedOption(what, handler, o.stale)
    checkFilled('tapped', what)
    const taps = tapping(what)
    const match: Match = ({ tapped }) => {
      const params = tapped && taps(tapped.id)
      return params && { params }
    }
    this.#add({ id: `tapped:${what}`, match, handler, ...(!what.includes('{') && { exact: { tap: what } }) })
  }

  received(kind: string | undefined, handler: Handler<never>): void {
    if (kind !== undefined) checkFilled('received', kind)
    checkHandler('received', handler)
    const match: Match = (message) => (kind === undefined || message.kind === kind ? {} : undefined)
    this.#add({ id: kind === undefined ? 'received' : `received:${kind}`, match, handler })
  }

  otherwise(handler: Handler<never>): void {
    checkHandler('otherwise', handler)
    this.#checkOpen()
    if (this.last) throw twice('otherwise')
    this.last = { id: 'otherwise', match: () => ({}), handler }
  }

  on(event: string, handler: Handler<never>): void {
    checkFilled('on', event)
    checkHandler('on', handler)
    if (event === 'message.received')
      throw new SwitchhookError(
        'options_invalid',
        "on('message.received'): messages are answered by hears(), tapped(), received() or otherwise()",
      )
    this.#checkOpen()
    const [name = event, status] = event.startsWith('message.status:') ? ['message.status', event.slice(15)] : [event]
    this.events.push({ event: name, status, handler: handler as Handler<Base<Env>> })
  }

  onError(handler: ErrorHandler): void {
    checkHandler('onError', handler)
    this.#checkOpen()
    this.errorHandlers.push(handler)
  }

  onDead(handler: DeadHandler): void {
    checkHandler('onDead', handler)
    this.#checkOpen()
    this.deadHandlers.push(handler)
  }

  /** A route of its own for what was tapped too late, since its replies are others. */
  #tappedOption(tap: Tap<unknown>, handler: Handler<never>, stale: Handler<never> | undefined): void {
    const named = tapIn(tap)
    this.#add({ id: `tapped:${named.name}()`, match: named.match, handler })
    if (stale === undefined) return
    checkHandler('tapped: stale', stale)
    this.#add({ id: `tapped:${named.name}():stale`, match: named.matchStale, handler: stale })
  }

  #checkOpen(): void {
    if (this.#closed)
      throw new SwitchhookError('options_invalid', 'routes are registered before start(): this bot is running')
  }

  #add(route: MessageRoute): void {
    if (route.id !== PREDICATE && this.#ids.has(route.id)) throw twice(route.id)
    this.add({ route })
    this.#ids.add(route.id)
  }
}

export function twice(id: string, second = id): SwitchhookError {
  const why =
    id === second
      ? `two routes are called "${id}": the second could never be reached, and their replies would share a key`
      : `the routes "${id}" and "${second}" hear the same words, since case and accents do not matter: the second could never be reached`
  return new SwitchhookError(
    'options_invalid',
    `${why}; merge them, make the patterns differ, or give the routes that are mounted a name: routes<typeof bot>('name')`,
  )
}
