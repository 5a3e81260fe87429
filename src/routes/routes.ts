import { type Duration, toMs } from '../base/duration.ts'
import type { MaybeAsync } from '../base/value.ts'
import type { InboundKind, InboundMediaKind } from '../contract/index.ts'
import type {
  Base,
  Conversation,
  CustomerContext,
  Env,
  EventContext,
  FailedSendContext,
  Has,
  MessageContext,
  StatusContext,
} from './context.ts'
import type { Chat, ConversationOptions } from './conversation.ts'
import type { Word } from './pattern.ts'
import type { Tap } from './tap.ts'

/** Runs the next route that takes this message, `otherwise` last; in a middleware, what is registered after it. */
export type Next = () => Promise<void>
export type Handler<C> = (ctx: C, next: Next) => unknown

/** Thrown by a handler: another attempt would change nothing. The delivery is a dead letter at once. */
export class GiveUp extends Error {
  constructor(why = 'the handler gave it up', options?: { cause?: unknown }) {
    super(why, options)
    this.name = 'GiveUp'
  }
}

/**
 * Thrown by a handler: try again after this span instead of the usual back-off. It counts as an attempt; if the span
 * goes beyond `attempts.within`, the delivery is a dead letter at once.
 */
export class RetryIn extends Error {
  readonly waitMs: number

  constructor(wait: Duration, why = 'the handler asked to be run again later') {
    super(why)
    this.name = 'RetryIn'
    this.waitMs = toMs(wait, 'RetryIn')
  }
}

/** The decision of an app's `onError` about a failed attempt. */
export type Verdict = 'retry' | 'dead' | undefined

export interface RouteOptions {
  /**
   * `false`: a message that the route may take is handled alone, and what was gathered before it is handled first. It is
   * told by the words or the kind, as soon as the message comes: conditions in front of the route, and routes before it,
   * are not asked.
   */
  burst?: false
}

type PathParams<P extends string> = P extends `${string}{${infer K}}${infer R}`
  ? { [X in K | keyof PathParams<R>]: string }
  : object

/** Routes that can be mounted into any bot whose `Env` satisfies `E`. */
export interface Mountable<E> {
  readonly '~needs'?: ((env: E) => void) | undefined
}

/** The name of an event, or the compiler's message for a name that `on` does not take. */
type OtherEvent<N extends string> = N extends 'message.received'
  ? 'messages are answered by hears(), tapped(), received() or otherwise()'
  : N extends `message.status:${string}`
    ? 'a status is one of sent, delivered, read, played and failed'
    : N

/** The members that `with` adds must not have names of the context itself. */
type Added = { readonly [K in keyof MessageContext<Env>]?: 'the context itself has this name: choose another' }

/**
 * Registers handlers. The first match wins among `hears`, `tapped` and `received`, in the order of registration,
 * mounted routes at the place where they are mounted; `otherwise` runs if none matched.
 */
export interface Routes<E extends Env = Env, Needs = E> {
  readonly '~env'?: E
  readonly '~needs'?: ((env: Needs) => void) | undefined
  /**
   * Takes a message by its text. A word is compared with the whole text, trimmed, case and accents folded. An
   * expression sees the text as it was typed, at most 4,096 characters of it, and its match is in the context.
   */
  hears(
    what: RegExp,
    handler: Handler<MessageContext<E, Has<'text'>, { match: RegExpExecArray }>>,
    o?: RouteOptions,
  ): this
  hears(what: string | readonly Word[], handler: Handler<MessageContext<E, Has<'text'>>>, o?: RouteOptions): this
  hears(
    what: string | readonly Word[] | ((text: string) => boolean),
    handler: Handler<MessageContext<E, Has<'text'>>>,
  ): this
  /**
   * Takes an option made by `tap()`. One that has expired or was not made by this bot goes to `stale`, else to the next
   * route.
   */
  tapped<P>(
    what: Tap<P>,
    handler: Handler<MessageContext<E, Has<'tapped'>, { params: P }>>,
    o?: { stale?: Handler<MessageContext<E, Has<'tapped'>>> },
  ): this
  /**
   * Takes the id of a tapped button or row, or a quick reply's payload; `{name}` stands for a part without a colon.
   */
  tapped<const P extends string>(
    id: P,
    handler: Handler<MessageContext<E, Has<'tapped'>, { params: PathParams<P> }>>,
  ): this
  /** Takes a kind of message, or any. For a kind that has no name here, take any and look at `ctx.message.kind`. */
  received(kind: 'text', handler: Handler<MessageContext<E, Has<'text'>>>, o?: RouteOptions): this
  received(kind: InboundMediaKind, handler: Handler<MessageContext<E, Has<'media'>>>, o?: RouteOptions): this
  received(kind: InboundKind, handler: Handler<MessageContext<E>>, o?: RouteOptions): this
  received(handler: Handler<MessageContext<E>>, o?: RouteOptions): this
  /** Takes the messages that no other route matched. */
  otherwise(handler: Handler<MessageContext<E>>): this
  /**
   * Takes every other event; several handlers of one event all run. With a status, the handler runs once for each
   * message, at the first report that the message got there or beyond, so that `ctx.status` may be a higher one.
   * Without a status it runs for every delivery as it came.
   */
  on(
    event: 'message.status' | `message.status:${'sent' | 'delivered' | 'read' | 'played' | 'failed'}`,
    handler: Handler<StatusContext<E>>,
  ): this
  on<const N extends string>(event: OtherEvent<N>, handler: Handler<EventContext<E, N>>): this
  /** Adds a middleware, which runs before the routes registered after it; or mounts routes written elsewhere. */
  use(what: Handler<MessageContext<E>> | Mountable<E>): this
  /**
   * Makes routes whose context has the members that the function returns. It runs once for each message that reaches
   * them.
   */
  with<V extends object & Added>(vars: (ctx: MessageContext<E>) => MaybeAsync<V>): Routes<E & { vars: V }, Needs>
  /** Mounts routes for the messages of which the condition is true. */
  route(when: (ctx: MessageContext<E>) => boolean, child: Mountable<E>): this
  /**
   * Registers a conversation: a script that asks one question after the other and survives restarts, as one function. A
   * handler enters it by `ctx.enter`; its answers then go to the script, before any route.
   *
   *     const booking = bot.conversation('booking', { version: 1, timeout: '30m' }, async (chat) => {
   *       const day = await chat.ask('Which day?')
   *       await chat.say(`See you on ${day}`)
   *     })
   *
   * The script runs again from its beginning at every answer: see `Chat`. Layers in front of this place run for answers
   * too; a condition that is not true keeps them from the script.
   *
   * @param name names it in the database, so keep it. @throws SwitchhookError `options_invalid`
   */
  conversation<I = void>(
    name: string,
    o: ConversationOptions<E>,
    script: (chat: Chat<E>, input: I) => Promise<unknown>,
  ): Conversation<I>
  /**
   * Runs after each failed attempt of these routes, and may decide: `'retry'` (within the limits), `'dead'`, or
   * nothing, which asks the routes around them.
   */
  onError(handler: (error: unknown, ctx: Base<E>) => MaybeAsync<Verdict | void>): this
  /** Runs once when a message of these routes is given up: the place to tell the customer. */
  onDead(handler: (error: unknown, ctx: MessageContext<E>) => unknown): this
  /**
   * Runs when a send has failed that nobody waits for any more: one with `wait: 'stored'` or `at`, one whose call gave
   * `via: 'stored'`, and one whose caller's process is gone. It is durable and retried, as for a delivery, and runs once for
   * each end. What was cancelled, dropped or forgotten is no failure, and what this handler sends itself is not told of.
   */
  onSendFailed(handler: (ctx: FailedSendContext<E>) => unknown): this
  /**
   * Runs so long before a customer's window closes, once a window: a new message of the customer takes it back. It is
   * durable and retried, as for a delivery; if the window has closed by then, it does not run. Windows are those of messages
   * that came while a bot with this handler ran, by the service's clock.
   *
   * @param before less than the 24 hours of a window.
   */
  onWindowClosing(before: Duration, handler: (ctx: CustomerContext<E>) => unknown): this
}
