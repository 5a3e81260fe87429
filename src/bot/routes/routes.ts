import { knownToAllBuilds } from '../../base/shared.ts'
import { type Duration, toMs } from '../../base/duration.ts'
import type { RouteOptionMembers } from '../../built-in/option-members.ts'
import type { MaybeAsync } from '../../base/value.ts'
import type { RouteMembers } from '../../built-in/route-members.ts'
import type { InboundKind, SignalKind } from '../../service/message-kinds.ts'
import type {
  Base,
  CustomerContext,
  Env,
  EventContext,
  FailedSendContext,
  Has,
  OfKind,
  MessageContext,
  StatusContext,
} from './context.ts'
import type { Word } from './pattern.ts'
import type { Tap } from './tap.ts'

/** Runs the next matching route, `otherwise` last. In a middleware, runs what is registered after it. */
export type Next = () => Promise<void>
export type Handler<C> = (ctx: C, next: Next) => unknown

/** Throw it in a handler to make the delivery a dead letter at once. */
export class GiveUp extends Error {
  constructor(why = 'the handler gave up', options?: { cause?: unknown }) {
    super(why, options)
    this.name = 'GiveUp'
  }
}
knownToAllBuilds(GiveUp)

/** Throw it in a handler to retry after this span. Counts as an attempt. Beyond `attempts.within`: a dead letter. */
export class RetryIn extends Error {
  readonly waitMs: number

  constructor(wait: Duration, why = 'the handler requested another attempt later') {
    super(why)
    this.name = 'RetryIn'
    this.waitMs = toMs(wait, 'RetryIn')
  }
}
knownToAllBuilds(RetryIn)

/** What `onError` decides about a failed attempt. */
export type Verdict = 'retry' | 'dead' | undefined

export interface RouteOptions extends RouteOptionMembers {}

export interface WordOptions extends RouteOptions {
  /** If true, a word matches only exactly this text. Default false. */
  exact?: boolean
}

type PathParams<P extends string> = P extends `${string}{${infer K}}${infer R}`
  ? { [X in K | keyof PathParams<R>]: string }
  : object

/** Routes that can be mounted into any bot whose `Env` satisfies `E`. */
export interface Mountable<E> {
  readonly '~needs'?: ((env: E) => void) | undefined
}

type OtherEvent<N extends string> = N extends 'message.received'
  ? 'messages are answered by hears(), tapped(), received() or otherwise()'
  : N extends `message.status:${string}`
    ? 'a status is one of sent, delivered, read, played and failed'
    : N

type Added = { readonly [K in keyof MessageContext<Env>]?: 'the context itself has this name: choose another' }

/** The first match in order of registration wins among `hears`, `tapped` and `received`; else `otherwise` runs. */
export interface Routes<E extends Env = Env, Needs = E> extends RouteMembers<E, Routes<E, Needs>> {
  readonly '~env'?: E
  readonly '~needs'?: ((env: Needs) => void) | undefined
  /**
   * A word must equal the whole text, ignoring case, accents, blanks, and signs and emoji at both ends: `Hours?`. An
   * expression sees the typed text, up to 4,096 characters, and its match is in the context.
   *
   *     bot.hears(['hours', /when.*open/i], (ctx) => ctx.reply('9 to 17'))
   */
  hears(
    what: RegExp,
    handler: Handler<MessageContext<E, Has<'text'>, { match: RegExpExecArray }>>,
    o?: RouteOptions,
  ): this
  hears(what: string | readonly Word[], handler: Handler<MessageContext<E, Has<'text'>>>, o?: WordOptions): this
  hears(
    what: string | readonly Word[] | ((text: string) => boolean),
    handler: Handler<MessageContext<E, Has<'text'>>>,
  ): this
  /**
   * Matches an option made by `tap()`. An expired or forged one goes to `stale`, else to the next route.
   *
   *     bot.tapped(Order, (ctx) => ctx.reply(`Order ${ctx.params.id}`))
   */
  tapped<P>(
    what: Tap<P>,
    handler: Handler<MessageContext<E, Has<'tapped'>, { params: P }>>,
    o?: { stale?: Handler<MessageContext<E, Has<'tapped'>>> },
  ): this
  /**
   * Matches the id of a button or row, or a quick reply's payload. `{name}` matches up to the next colon.
   *
   *     bot.tapped('order:{id}', (ctx) => ctx.reply(`Order ${ctx.params.id}`))
   */
  tapped<const P extends string>(
    id: P,
    handler: Handler<MessageContext<E, Has<'tapped'>, { params: PathParams<P> }>>,
  ): this
  /**
   * Matches a kind of message with its content (a text, a file's address, a tapped option), or any message. For a kind
   * without a name here, match any and check `ctx.message.kind`. A signal, such as a reaction, an edit or a call, is
   * matched only by its kind: no other route or question gets it, and it is never part of a bundle. `'unknown'` matches
   * every unknown kind.
   *
   *     bot.received('image', (ctx) => ctx.reply('Thank you for the picture.'))
   *     bot.received('reaction', (ctx) => ctx.log.info({ emoji: ctx.message.reaction.emoji }, 'a reaction'))
   */
  received<K extends InboundKind | SignalKind>(
    kind: K,
    handler: Handler<MessageContext<E, OfKind<K>>>,
    o?: RouteOptions,
  ): this
  received(handler: Handler<MessageContext<E>>, o?: RouteOptions): this
  otherwise(handler: Handler<MessageContext<E>>): this
  /**
   * Handles every other event; all handlers of an event run. With a status, the handler runs once for each message, at
   * the first report of that status or a later one. Without a status it runs for every delivery.
   *
   *     bot.on('order.paid', (ctx) => ctx.log.info('paid'))
   */
  on(
    event: 'message.status' | `message.status:${'sent' | 'delivered' | 'read' | 'played' | 'failed'}`,
    handler: Handler<StatusContext<E>>,
  ): this
  on<const N extends string>(event: OtherEvent<N>, handler: Handler<EventContext<E, N>>): this
  /** Adds a middleware for the routes registered after it, or mounts routes from another module. */
  use(what: Handler<MessageContext<E>> | Mountable<E>): this
  /** Makes routes whose context has the returned members. The function runs once for each message. */
  with<V extends object & Added>(vars: (ctx: MessageContext<E>) => MaybeAsync<V>): Routes<E & { vars: V }, Needs>
  /** Mounts routes for messages that satisfy the condition. */
  route(when: (ctx: MessageContext<E>) => boolean, child: Mountable<E>): this
  /** Runs after each failed attempt. Return `'retry'` (within the limits), `'dead'`, or nothing to let others decide. */
  onError(handler: (error: unknown, ctx: Base<E>) => MaybeAsync<Verdict | void>): this
  /** Runs once when a message becomes a dead letter. Notify the customer here. */
  onDead(handler: (error: unknown, ctx: MessageContext<E>) => unknown): this
  /**
   * Runs once when a background send has failed: one with `wait: 'stored'` or `at`, one whose call returned
   * `via: 'stored'`, or one whose process has ended. It is durable and retried like a delivery. It does not run for
   * cancelled, dropped or forgotten sends, nor for sends of this handler.
   */
  onSendFailed(handler: (ctx: FailedSendContext<E>) => unknown): this
  /**
   * Runs this long before a customer's window closes, once, unless the customer writes again. If somebody else has the
   * customer then, it waits until the bot has them again. It is durable and retried like a delivery. It does not run
   * after the window has closed, nor for messages that arrived before a bot with this handler ran.
   *
   * @param before less than the 24 hours of a window.
   */
  onWindowClosing(before: Duration, handler: (ctx: CustomerContext<E>) => unknown): this
}
