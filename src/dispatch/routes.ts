import { SwitchhookError } from '../base/errors.ts'
import type { Base, Env, EventContext, Has, Message, MessageContext, StatusContext } from './context.ts'
import { checkFilled, checkHandler, checkWords } from './check-route.ts'
import { hearing, patternId, tapping, type Word } from './pattern.ts'
import type { Verdict } from './verdict.ts'

export type Next = () => Promise<void>
export type Handler<C> = (ctx: C, next: Next) => unknown

type PathParams<P extends string> = P extends `${string}{${infer K}}${infer R}`
  ? { [X in K | keyof PathParams<R>]: string }
  : object

/** Where handlers are registered. The first match wins among `hears`, `tapped` and `received`. */
export interface Routes<E extends Env> {
  /** The whole text, trimmed, case and accents folded; or an expression, whose match the context then has. */
  hears(what: RegExp, handler: Handler<MessageContext<E, Has<'text'>, { match: RegExpExecArray }>>): this
  hears(
    what: string | readonly Word[] | ((text: string) => boolean),
    handler: Handler<MessageContext<E, Has<'text'>>>,
  ): this
  /** The id of a tapped button or row, or a quick reply's payload; `{name}` stands for a part. */
  tapped<const P extends string>(
    id: P,
    handler: Handler<MessageContext<E, Has<'tapped'>, { params: PathParams<P> }>>,
  ): this
  /** A kind of message, or any. */
  received(kind: 'image' | 'audio' | 'video' | 'document', handler: Handler<MessageContext<E, Has<'media'>>>): this
  received(kind: string, handler: Handler<MessageContext<E>>): this
  received(handler: Handler<MessageContext<E>>): this
  /** Where no other route matched. */
  otherwise(handler: Handler<MessageContext<E>>): this
  /**
   * Every other event; several handlers each hear it. With a status: once for each message, at the first report that
   * it got there or beyond, so that `ctx.status` may be a higher one. Without: every delivery as it came.
   */
  on(
    event: 'message.status' | `message.status:${'sent' | 'delivered' | 'read' | 'played' | 'failed'}`,
    handler: Handler<StatusContext<E>>,
  ): this
  on<const N extends string>(
    event: N extends 'message.received' ? never : N,
    handler: Handler<EventContext<E, N>>,
  ): this
  /** Hears of each failed attempt, and may decide: `'retry'` (within the limits), `'dead'`, or nothing. */
  onError(handler: (error: unknown, ctx: Base<E>) => OnErrorAnswer): this
  /** Once, when a message is given up: the place to tell the customer. */
  onDead(handler: (error: unknown, ctx: MessageContext<E>) => unknown): this
}

type OnErrorAnswer = Verdict | void | Promise<Verdict | void>

/** What a route adds to the context where it matches; undefined where it does not. */
type Match = (message: Message) => object | undefined

export interface MessageRoute {
  readonly id: string
  readonly match: Match
  readonly handler: Handler<never>
}

export interface EventRoute {
  readonly id: string
  readonly event: string
  /** Of `message.status:delivered`: the status. */
  readonly status: string | undefined
  readonly handler: Handler<Base<Env>>
}

/** The registered routes, in their order; `otherwise` always last. */
export class RouteTable {
  readonly #messages: MessageRoute[] = []
  readonly #events: EventRoute[] = []
  readonly errorHandlers: ((error: unknown, ctx: Base<Env>) => OnErrorAnswer)[] = []
  readonly deadHandlers: ((error: unknown, ctx: MessageContext<Env>) => unknown)[] = []
  #otherwise: MessageRoute | undefined
  #predicates = 0

  hears(what: Word | readonly Word[] | ((text: string) => boolean), handler: Handler<never>): void {
    checkWords(what)
    checkHandler('hears', handler)
    const id = typeof what === 'function' ? `#${++this.#predicates}` : patternId(what)
    const hears = hearing(what)
    this.#add({ id: `hears:${id}`, match: ({ text }) => (text === undefined ? undefined : hears(text)), handler })
  }

  tapped(pattern: string, handler: Handler<never>): void {
    checkFilled('tapped', pattern)
    checkHandler('tapped', handler)
    const taps = tapping(pattern)
    const match: Match = ({ tapped }) => {
      const params = tapped && taps(tapped.id)
      return params && { params }
    }
    this.#add({ id: `tapped:${pattern}`, match, handler })
  }

  received(kind: string | undefined, handler: Handler<never>): void {
    if (kind !== undefined) checkFilled('received', kind)
    checkHandler('received', handler)
    const match: Match = (message) => (kind === undefined || message.kind === kind ? {} : undefined)
    this.#add({ id: kind === undefined ? 'received' : `received:${kind}`, match, handler })
  }

  otherwise(handler: Handler<never>): void {
    checkHandler('otherwise', handler)
    if (this.#otherwise) throw twice('otherwise')
    this.#otherwise = { id: 'otherwise', match: () => ({}), handler }
  }

  on(event: string, handler: Handler<never>): void {
    checkFilled('on', event)
    checkHandler('on', handler)
    if (event === 'message.received')
      throw new SwitchhookError(
        'options_invalid',
        "on('message.received'): messages are answered by hears(), tapped(), received() or otherwise()",
      )
    const [name, status] = event.startsWith('message.status:') ? ['message.status', event.slice(15)] : [event]
    const before = this.#events.filter((route) => route.id.split('#')[0] === `on:${event}`).length
    const id = before === 0 ? `on:${event}` : `on:${event}#${before + 1}`
    this.#events.push({ id, event: name ?? event, status, handler: handler as Handler<Base<Env>> })
  }

  /** The routes that take this message, in the order in which `next()` goes through them. */
  ofMessage(message: Message): { route: MessageRoute; extra: object }[] {
    const all = this.#otherwise ? [...this.#messages, this.#otherwise] : this.#messages
    return all.flatMap((route) => {
      const extra = route.match(message)
      return extra ? [{ route, extra }] : []
    })
  }

  /** `statuses`: those that this event is the first to tell of. */
  ofEvent(event: string, statuses: readonly string[]): EventRoute[] {
    return this.#events.filter(
      (route) => route.event === event && (route.status === undefined || statuses.includes(route.status)),
    )
  }

  /** Whether any route waits for one of these statuses alone. */
  listensTo(statuses: readonly string[]): boolean {
    return this.#events.some(({ status }) => status !== undefined && statuses.includes(status))
  }

  listens(event: string): boolean {
    if (event === 'message.received') return this.#messages.length > 0 || this.#otherwise !== undefined
    return this.#events.some((route) => route.event === event)
  }

  /** The events that some handler waits for. */
  events(): string[] {
    return [...new Set(this.#events.map((route) => route.event))]
  }

  #add(route: MessageRoute): void {
    if (this.#messages.some(({ id }) => id === route.id)) throw twice(route.id)
    this.#messages.push(route)
  }
}

function twice(id: string): SwitchhookError {
  return new SwitchhookError(
    'options_invalid',
    `two routes are called "${id}": the second could never be reached, and their replies would share a key; merge them or make the patterns differ`,
  )
}
