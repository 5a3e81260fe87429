import { type Duration, toMs } from '../../base/duration.ts'
import { optionsInvalid, type SwitchhookError } from '../../base/errors.ts'
import * as handledAlone from '../../built-in/handled-alone.ts'
import { aFunction, expecting, text } from '../option-checks.ts'
import { WINDOW_MS } from '../../service/endpoints.ts'
import { contentOf, INBOUND_KINDS, KNOWN_KINDS, SIGNAL_KINDS } from '../../service/message-kinds.ts'
import type { Base, Env, Message, MessageContext } from './context.ts'
import type { EnteredRoute } from './entered.ts'
import { compileTapPattern, compileWords, fold, patternId, type Word } from './pattern.ts'
import type { Handler, RouteOptions, Verdict, WordOptions } from './routes.ts'
import { type Tap, tapDefinition, type TapVerifier } from './tap.ts'

/** Returns what the route adds to the context if it matches the message; undefined if not. */
export type Match = (message: Message, taps: TapVerifier) => object | undefined

/** The id of each `hears` route with a predicate, until `compile` numbers them. */
export const PREDICATE = 'hears:'

export interface MessageRoute {
  readonly id: string
  readonly match: Match
  readonly handler: Handler<never>
  /** The only kind that the route matches. */
  readonly kind?: string
  /** The whole texts that the route matches, as `bare` makes them. */
  readonly words?: readonly string[]
  /** True if the route matches only the texts in `words`. */
  readonly onlyWords?: boolean
  /** Set for a route of taps. Returns true for an id that it may match. */
  readonly takesTap?: (id: string) => boolean
  /** The only id that the route matches. */
  readonly tapWord?: string
  /** Set if the route gets each message alone, never in a bundle. Returns true for a message that it may match. */
  readonly matchesAlone?: (message: MessagePreview) => boolean
}

/** What is known of a message before it is stored, to decide whether it waits for others of its bundle. */
export type MessagePreview = Partial<Pick<Message, 'kind' | 'text' | 'media' | 'tapped'>> & {
  readonly location?: object | undefined
  readonly reaction?: object | undefined
}

export interface EventRoute {
  readonly event: string
  readonly status: string | undefined
  readonly handler: Handler<Base<Env>>
}

export interface ClosingRoute {
  readonly beforeMs: number
  readonly handler: Handler<Base<Env>>
}

/** A step in front of a route: a middleware (`use`), a condition (`when`), or an addition to the context (`with`). */
export interface Layer {
  readonly kind: 'use' | 'when' | 'with'
  readonly run: (ctx: never, next: never) => unknown
}

export type ErrorHandler = (error: unknown, ctx: Base<Env>) => Verdict | void | Promise<Verdict | void>
export type DeadHandler = (error: unknown, ctx: MessageContext<Env>) => unknown

/** `inSilence`: set if the child's routes run only in a silence. The name of the method that registered the child. */
export type Entry =
  | { readonly route: MessageRoute }
  | { readonly layer: Layer }
  | { readonly child: RouteTable; readonly layer: Layer | undefined; readonly inSilence?: string }
  | { readonly entered: EnteredRoute }

/** The words that opt a customer out and in, and the replies that confirm this. */
export interface OptOutRules {
  readonly words: ReadonlySet<string>
  says(message: MessagePreview): 'out' | 'in' | undefined
  /** Returns a word as `words` contains it. */
  formOf(word: string): string
  readonly told: { readonly [Says in 'out' | 'in']: unknown }
}

/** The routes of one `createBot` or `routes`, in the order of registration. */
export class RouteTable {
  optOuts: OptOutRules | undefined
  readonly entries: Entry[] = []
  readonly events: EventRoute[] = []
  readonly errorHandlers: ErrorHandler[] = []
  readonly deadHandlers: DeadHandler[] = []
  readonly failedSendHandlers: Handler<Base<Env>>[] = []
  readonly closings: ClosingRoute[] = []
  last: MessageRoute | undefined
  readonly name: string | undefined
  readonly #ids = new Set<string>()
  #closed = false

  constructor(name?: string) {
    if (name !== undefined) text(name, 'routes()')
    this.name = name
  }

  /** Call this with true while the bot runs, because its routes cannot be changed then. */
  close(closed: boolean): void {
    this.#closed = closed
    for (const entry of this.entries) if ('child' in entry) entry.child.close(closed)
  }

  add(entry: Entry): void {
    this.#checkNotStarted()
    this.entries.push(entry)
  }

  hears(what: Word | readonly Word[] | ((text: string) => boolean), handler: Handler<never>, o?: WordOptions): void {
    checkWords(what, 'hears()')
    checkHandler('hears', handler)
    const alone = optsOut('hears', o)
    const exact = o?.exact
    if (alone && typeof what === 'function')
      throw refuse(
        'hears',
        `${ALONE_OPTIONS} is not for a predicate, because it would run before the message is stored: use words`,
      )
    const id = typeof what === 'function' ? PREDICATE : `hears:${exact ? '=' : ''}${patternId(what)}`
    const { plain, onlyPlain, hears } = compileWords(what, { exact })
    this.#add({
      id,
      match: (message) => (message.text === undefined ? undefined : hears(message.text)),
      handler,
      ...(alone && { matchesAlone: (message) => message.text !== undefined && hears(message.text) !== undefined }),
      // The `=` marks an exact word, so that it is not taken for a duplicate of the same word without `exact`.
      words: exact ? plain.map((word) => `=${word}`) : plain,
      onlyWords: onlyPlain,
    })
  }

  tapped(what: string | Tap<unknown>, handler: Handler<never>, o: { stale?: Handler<never> } = {}): void {
    checkHandler('tapped', handler)
    if (typeof what !== 'string') return this.#tappedOption(what, handler, o.stale)
    text(what, 'tapped()')
    const taps = compileTapPattern(what)
    const match: Match = ({ tapped }) => {
      const params = tapped && taps(tapped.id)
      return params && { params }
    }
    const isWord = !what.includes('{')
    this.#add({
      id: `tapped:${what}`,
      match,
      handler,
      takesTap: (id) => taps(id) !== undefined,
      ...(isWord && { tapWord: what }),
    })
  }

  received(kind: string | undefined, handler: Handler<never>, o?: RouteOptions): void {
    if (kind !== undefined && !ROUTED_KINDS.includes(kind))
      throw refuse(
        'received',
        `expected ${ROUTED_KINDS.join(', ')}, or a handler alone, which gets any message: ctx.message.kind names its kind`,
      )
    checkHandler('received', handler)
    // A message may lack the content of its kind, as an image without an address does. No route of the kind gets it.
    const content = contentOf(kind)
    const takes = (message: MessagePreview): boolean =>
      (kind === undefined ||
        message.kind === kind ||
        (kind === 'unknown' && message.kind !== undefined && !KNOWN_KINDS.has(message.kind))) &&
      (content === undefined || message[content] !== undefined)
    this.#add({
      id: kind === undefined ? 'received' : `received:${kind}`,
      match: (message) => (takes(message) ? {} : undefined),
      handler,
      ...(kind !== undefined && { kind }),
      ...(optsOut('received', o) && { matchesAlone: takes }),
    })
  }

  optOut(rules: OptOutRules): void {
    this.#checkNotStarted()
    if (this.optOuts) throw optionsInvalid('optOuts(): call it once for a bot')
    this.optOuts = rules
  }

  otherwise(handler: Handler<never>): void {
    checkHandler('otherwise', handler)
    this.#checkNotStarted()
    if (this.last) throw routedTwice('otherwise')
    this.last = { id: 'otherwise', match: () => ({}), handler }
  }

  on(event: string, handler: Handler<never>): void {
    text(event, 'on()')
    checkHandler('on', handler)
    if (event === 'message.received')
      throw optionsInvalid(
        "on('message.received'): messages are answered by hears(), tapped(), received() or otherwise()",
      )
    this.#checkNotStarted()
    const [name = event, status] = event.startsWith('message.status:') ? ['message.status', event.slice(15)] : [event]
    this.events.push({ event: name, status, handler: handler as Handler<Base<Env>> })
  }

  onError(handler: ErrorHandler): void {
    this.#register('onError', handler, this.errorHandlers)
  }

  onDead(handler: DeadHandler): void {
    this.#register('onDead', handler, this.deadHandlers)
  }

  onSendFailed(handler: Handler<Base<Env>>): void {
    this.#register('onSendFailed', handler, this.failedSendHandlers)
  }

  #register<H>(method: string, handler: H, handlers: H[]): void {
    checkHandler(method, handler)
    this.#checkNotStarted()
    handlers.push(handler)
  }

  onWindowClosing(before: Duration, handler: Handler<never>): void {
    const beforeMs = toMs(before, 'onWindowClosing')
    if (beforeMs <= 0 || beforeMs >= WINDOW_MS)
      throw refuse('onWindowClosing', "expected a span within the 24 hours of a window, such as '1h'")
    checkHandler('onWindowClosing', handler)
    this.#checkNotStarted()
    this.closings.push({ beforeMs, handler: handler as Handler<Base<Env>> })
  }

  /** Stale taps have their own route, so that replies to them have their own slots. */
  #tappedOption(tap: Tap<unknown>, handler: Handler<never>, stale: Handler<never> | undefined): void {
    const named = tapDefinition(tap)
    const takesTap = (id: string) => id.startsWith(`~${named.name}.`)
    this.#add({ id: `tapped:${named.name}()`, match: named.match, handler, takesTap })
    if (stale === undefined) return
    checkHandler('tapped: stale', stale)
    this.#add({ id: `tapped:${named.name}():stale`, match: named.matchStale, handler: stale })
  }

  #checkNotStarted(): void {
    if (this.#closed) throw optionsInvalid('register routes before start(): this bot is already running')
  }

  #add(route: MessageRoute): void {
    if (route.id !== PREDICATE && this.#ids.has(route.id)) throw routedTwice(route.id)
    this.add({ route })
    this.#ids.add(route.id)
  }
}

export function routedTwice(id: string, second = id): SwitchhookError {
  const why =
    id === second
      ? `two routes are called "${id}": the second could never be reached, and their replies would share a key`
      : `the routes "${id}" and "${second}" match the same words, because case, accents and signs at both ends are ignored: the second could never be reached`
  return optionsInvalid(
    `${why}; merge them, change a pattern, or give the mounted routes a name: routes<typeof bot>('name')`,
  )
}

export function checkHandler(method: string, handler: unknown): void {
  aFunction(handler, `${method}(): handler`)
}

const ROUTED_KINDS: readonly string[] = Object.keys({ ...INBOUND_KINDS, ...SIGNAL_KINDS })

const HANDLED_ALONE = Object.entries<unknown>(handledAlone)
const ALONE_OPTIONS = HANDLED_ALONE.map(([name, alone]) => `{ ${name}: ${String(alone)} }`).join(' or ')

function optsOut(method: string, o: WordOptions | undefined): boolean {
  if (o === undefined) return false
  const given: Readonly<Record<string, unknown>> = { ...o }
  const options = HANDLED_ALONE.filter(([name]) => given[name] !== undefined)
  if (options.length === 0 && typeof o.exact === 'boolean' && method === 'hears') return false
  if (options.length > 0 && options.every(([name, alone]) => given[name] === alone)) return true
  throw refuse(method, `expected ${ALONE_OPTIONS === '' ? '' : `${ALONE_OPTIONS} or `}nothing after its handler`)
}

const checkWords = expecting('a word, a RegExp, a list of them or a predicate', (what) => {
  if (typeof what === 'function') return true
  const words: readonly unknown[] = Array.isArray(what) ? what : [what]
  const isWord = (word: unknown) => word instanceof RegExp || (typeof word === 'string' && fold(word) !== '')
  return words.length > 0 && words.every(isWord)
})

function refuse(method: string, why: string): SwitchhookError {
  return optionsInvalid(`${method}(): ${why}`)
}
