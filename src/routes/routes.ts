import type { InboundMediaKind } from '../contract/index.ts'
import type { MaybeAsync } from '../base/value.ts'
import type { Base, Env, EventContext, Has, MessageContext, StatusContext } from './context.ts'
import type { Word } from './pattern.ts'
import type { Tap } from './tap.ts'
import type { Verdict } from './verdict.ts'

/** Runs the next route that takes this message, `otherwise` last; in a middleware, whatever stands behind it. */
export type Next = () => Promise<void>
export type Handler<C> = (ctx: C, next: Next) => unknown

type PathParams<P extends string> = P extends `${string}{${infer K}}${infer R}`
  ? { [X in K | keyof PathParams<R>]: string }
  : object

/** Routes that another bot's, with the same needs, may take over. */
export interface Mountable<E> {
  readonly '~needs'?: ((env: E) => void) | undefined
}

/** What the compiler says of an event that cannot be listened to. */
type Heard<N extends string> = N extends 'message.received'
  ? 'messages are answered by hears(), tapped(), received() or otherwise()'
  : N extends `message.status:${string}`
    ? 'a status is one of sent, delivered, read, played and failed'
    : N

/** What `with` adds has names of its own. */
type Added = { readonly [K in keyof MessageContext<Env>]?: 'the context itself has this name: choose another' }

/**
 * Where handlers are registered. The first match wins among `hears`, `tapped` and `received`, in the order of
 * registration, mounted routes at the place where they are mounted; `otherwise` where none matched.
 */
export interface Routes<E extends Env = Env, Needs = E> {
  readonly '~env'?: E
  readonly '~needs'?: ((env: Needs) => void) | undefined
  /**
   * The whole text, trimmed, case and accents folded, or an expression, whose match the context then has. An expression
   * sees the text as it was typed, and at most 4,096 characters of it.
   */
  hears(what: RegExp, handler: Handler<MessageContext<E, Has<'text'>, { match: RegExpExecArray }>>): this
  hears(
    what: string | readonly Word[] | ((text: string) => boolean),
    handler: Handler<MessageContext<E, Has<'text'>>>,
  ): this
  /** An option made by `tap()`; one that has expired or was not made by this bot goes to `stale`, else on. */
  tapped<P>(
    what: Tap<P>,
    handler: Handler<MessageContext<E, Has<'tapped'>, { params: P }>>,
    o?: { stale?: Handler<MessageContext<E, Has<'tapped'>>> },
  ): this
  /**
   * The id of a tapped button or row, or a quick reply's payload; `{name}` stands for a part, in which there is no colon.
   */
  tapped<const P extends string>(
    id: P,
    handler: Handler<MessageContext<E, Has<'tapped'>, { params: PathParams<P> }>>,
  ): this
  /** A kind of message, or any. */
  received(kind: InboundMediaKind, handler: Handler<MessageContext<E, Has<'media'>>>): this
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
  on<const N extends string>(event: Heard<N>, handler: Handler<EventContext<E, N>>): this
  /** A middleware, which stands before the routes that are registered after it; or routes written elsewhere. */
  use(what: Handler<MessageContext<E>> | Mountable<E>): this
  /** Routes whose context has more: what the function gives, asked for once for each message that reaches them. */
  with<V extends object & Added>(vars: (ctx: MessageContext<E>) => MaybeAsync<V>): Routes<E & { vars: V }, Needs>
  /** Routes for those messages alone of which this is true. */
  route(when: (ctx: MessageContext<E>) => boolean, child: Mountable<E>): this
  /**
   * Hears of each failed attempt of these routes, and may decide: `'retry'` (within the limits), `'dead'`, or nothing,
   * which asks the routes around them.
   */
  onError(handler: (error: unknown, ctx: Base<E>) => MaybeAsync<Verdict | void>): this
  /** Once, when a message of these routes is given up: the place to tell the customer. */
  onDead(handler: (error: unknown, ctx: MessageContext<E>) => unknown): this
}
