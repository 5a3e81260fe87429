import type { InboundKind } from '../../service/contract.ts'
import type { Log } from '../../base/log.ts'
import type { Duration } from '../../base/duration.ts'
import type { Content, OneTimeCode, Template } from '../../service/content.ts'
import type { Agent, Takeover } from '../out/takeover.ts'
import type { HandlerSendOptions, ReplyOptions, SendKey } from '../out/send-options.ts'
import type { OptedOut, OptOutOptions } from '../out/opt-outs.ts'
import type { Send, SendResult, Status } from '../out/send.ts'
import type { Window } from '../out/window.ts'

/** The parts of a context that differ between bots. The bot's type fills them in. */
export interface Env {
  /** The app's own state about one customer. */
  session: unknown
  number: string
  /** The members that `with` adds to the context. */
  vars: object
  /** The app's own facts, by event. */
  facts: Record<string, Record<string, unknown>>
}

/** Payloads by event name, for `ctx.event.json`. Empty by default. Declare members by module augmentation. */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- filled by augmentation
export interface Payloads {}

/** The payload of an event, typed if `Payloads` knows the event. */
type PayloadOf<N extends string> = N extends keyof Payloads ? Payloads[N] : unknown

type Open<T extends string> = T | (string & {})

export interface MediaFact {
  kind: string
  url: string
  mime?: string
  filename?: string
  caption?: string
  durationMs?: number
}

/** A customer's message. The service does not document payloads, so members may be undefined. */
export interface Message {
  id: string | undefined
  kind: Open<InboundKind>
  /** The payload's time, else the time of receipt. */
  at: Date
  text: string | undefined
  /** The tapped option: a button, a row of a list, or a template's quick reply (EVT-03). */
  tapped: { id: string; title: string | undefined } | undefined
  media: MediaFact | undefined
}

/** One message in `ctx.history`. */
export interface HistoryEntry {
  by: 'customer' | 'bot' | 'person' | 'agent'
  /** Service time: of the customer's message, or when the service accepted the send. */
  at: Date
  kind: Open<InboundKind | 'template'>
  /** The text, the caption or the title of the tapped option; undefined for a template. */
  text: string | undefined
  /** The `slot` that the app gave this reply, for instance to leave a "one moment" note out. */
  slot: string | undefined
  /** A template's name and parameters. The service has its texts. */
  template?: { name: string; language: string; parameters: readonly string[] }
  /** True if the content was removed after the option `retention`. */
  gone: boolean
}

/** A conversation, made by `bot.conversation`. Pass it to `ctx.enter`, `chat.enter` or `bot.to(customer).enter`. */
export interface Conversation<I = void> {
  readonly name: string
  /** Only for types. */
  readonly input?: I
}

export type Has<K extends keyof Message> = Message & { [P in K]: NonNullable<Message[P]> }

/** What you can do for one customer, by `bot.to(customer)` and `ctx.to(customer)`. */
export interface Reach<O, S = unknown> {
  /**
   * Sends a message that is not a reply. It goes out even while somebody else has this customer.
   *
   *     await bot.to('255712000101').send('Order 7781 is ready.', { key: ['order', 7781, 'ready'] })
   *
   * A one-time code is only kept in memory, so it is sent at once or not at all. Use a new key for each verification. A
   * new code under the same key is sent only if the last one was refused, lost or left unknown.
   */
  // One signature instead of overloads, so that the compiler's message names the wrong option.
  send<C extends Content | Template | OneTimeCode>(
    content: C,
    options: C extends OneTimeCode ? { key: SendKey } : O,
  ): Promise<SendResult>
  /** A person answers this customer. Until the end of that time, routes do not run and replies are skipped. */
  handOver(o: { for: Duration }): Promise<void>
  /** The bot has this customer again. Messages that arrived meanwhile are not handled afterwards. */
  resume(): Promise<void>
  /**
   * Reads this customer's stored session, or a new one, for instance to choose a language. Changes by a running handler
   * are missing until it has ended.
   */
  session(): Promise<S>
  /**
   * Makes this customer enter a conversation as their next item. An open conversation ends. The request is stored, and
   * you do not wait for it. If the window may be closed, give the first question a template: `outsideWindow`.
   */
  enter<I>(conversation: Conversation<I>, ...input: I extends void ? [] : [I]): Promise<void>
  /**
   * Records that this customer wants no marketing. Announcements and sends of `kind: 'marketing'` skip them from now on, on
   * every number of `numbers`. If the numbers come from a source, only on this one.
   *
   *     await bot.to('255712000101').optOut({ how: 'web form' })
   */
  optOut(o: OptOutOptions): Promise<void>
  /**
   * Records that this customer wants marketing from this number again. Resolves with false, and changes nothing, if they
   * opted out after `at`.
   */
  optIn(o: OptOutOptions): Promise<boolean>
  /** The opt-out that is in force, with its time and way; undefined if there is none. */
  optedOut(): Promise<OptedOut | undefined>
  /**
   * Erases everything stored about this customer. When it resolves, sends that have not gone out are cancelled, and
   * session, take-over and window are removed. Messages and sends with their statuses are erased next, in small portions. A
   * message in progress is erased within an hour after it has ended. Keys used for this customer are free again. An opt-out
   * stays in force, without the number.
   */
  forget(): Promise<void>
}

/**
 * The members that every handler's context has. You can destructure it, `({ message, reply }) => …`. A copy by spread
 * lacks lazy members such as `log`, `session` and `signal`.
 */
export interface Base<E extends Env> {
  readonly event: {
    readonly name: string
    readonly deliveryId: string
    readonly subscription: string
    readonly receivedAt: Date
    readonly raw: Uint8Array
    readonly json: unknown
  }
  readonly number: E['number']
  /** Like `bot.to`, but the key is derived from the cause of this delivery. */
  to(customer: string): Reach<HandlerSendOptions, E['session']>
  /**
   * Runs an effect once. Its JSON result is stored with the delivery, and every rerun gets that result. A crash or a
   * missed deadline inside the effect runs it again. After its result is stored it never runs again. A result that JSON
   * cannot represent makes a dead letter at once, because another run would not help. Names are local to their route:
   * the same name in another handler is another effect. Not for secrets, because the result is stored on disk.
   *
   *     const ticket = await ctx.once('ticket', () => desk.open(ctx.customer))
   */
  once<T>(name: string, effect: () => T | Promise<T>): Promise<T>
  /** 1 for the first attempt. */
  readonly attempt: number
  readonly lastAttempt: boolean
  /** Aborted when the attempt ends: at its deadline, or when the bot stops. */
  readonly signal: AbortSignal
  /** Service time. */
  readonly now: () => Date
  readonly log: Log
}

export type MessageContext<
  // oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
  E extends Env = any,
  M extends Message = Message,
  X = object,
> = Base<E> &
  E['vars'] &
  X & {
    readonly event: { readonly json: PayloadOf<'message.received'> }
    /**
     * Read and change it freely. It is saved when the handler succeeds. If the handler throws, changes are discarded.
     */
    session: E['session']
    readonly customer: string
    /** Of a burst, the last message that the route matches. For `otherwise` and middleware, the last one. */
    readonly message: M
    /**
     * The messages of the burst by payload time, if the option `burst` is set; else only the message. `event` is the
     * delivery of the last one.
     */
    readonly messages: readonly Message[]
    readonly window: Window
    /**
     * Reads the conversation so far, oldest first: this customer's last messages, ending with this one, and the sends
     * that the service accepted. For removed content it shows `gone`, or nothing. Not included: one-time codes, later
     * messages that wait, and what a person wrote elsewhere. A rerun may find more, so compute anything that depends on
     * it inside a `once`.
     *
     * @param o.last how many messages in total, from 1 to 200. Default 20.
     * @throws SwitchhookError `options_invalid`
     */
    history(o?: { last?: number }): Promise<readonly HistoryEntry[]>
    /** True if a message with a later payload time was handled before this one, or before one of its burst. */
    readonly late: boolean
    /**
     * Who had the customer when the handler began; undefined if the bot had. Routes run only if this is undefined, or
     * inside `whileTakenOver`, or with the option `takenOver: 'run'`. The route of the message `BOT` runs too.
     */
    readonly takenOver: Takeover | undefined
    /** Whether the service's own agent answers this customer. Each send pauses it (GEN-06). */
    readonly agent: Agent
    /** A person answers this customer. Until the end of that time, routes do not run and replies are skipped. */
    handOver(o: { for: Duration }): Promise<void>
    /** The bot has the customer again, after `BOT` or a hand-over. */
    resume(): Promise<void>
    /**
     * Enters a conversation. Resolves when its script waits for an answer or a time, or has ended. An open conversation
     * with this customer ends. `input` is stored as JSON.
     */
    enter<I>(conversation: Conversation<I>, ...input: I extends void ? [] : [I]): Promise<void>
    /** Sends a reply. It is sent once, even if the handler runs again: see `ReplyOptions.slot`. */
    reply(content: Content | Template, options?: ReplyOptions): Promise<SendResult>
  }

// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
export type StatusContext<E extends Env = any> = Base<E> & {
  readonly event: { readonly json: PayloadOf<'message.status'> }
  readonly status: Status
  /** The send that this status is about; undefined if this bot did not send it. */
  readonly sent: Send | undefined
  readonly customer: string | undefined
}

/** The context of handlers that are about a customer rather than a message: `onWindowClosing` and `onEnd`. */
// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
export type CustomerContext<E extends Env = any> = Base<E> & {
  readonly customer: string
  /** Saved when the handler succeeds, as in a message's handler. */
  session: E['session']
  /** Sends a reply. It is sent once, even if the handler runs again: see `ReplyOptions.slot`. */
  reply(content: Content | Template, options?: ReplyOptions): Promise<SendResult>
}

// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
export type FailedSendContext<E extends Env = any> = Base<E> & {
  /** The failed send. `state` is `refused`, `unknown`, `skipped` (too late) or `lost_code`. */
  readonly send: Send
  /** The service's code for a refusal, or `stale` for a send that was too late; undefined if there is none. */
  readonly code: string | undefined
  /** The reason as a sentence, for a person. */
  readonly reason: string
}

// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
export type EventContext<E extends Env = any, N extends string = string> = Base<E> & {
  readonly customer: string | undefined
  /** The payload, typed if `Payloads` knows the event; undefined if the bytes are not a JSON object. */
  readonly json: PayloadOf<N>
  /**
   * A fact that the handler cannot do without: one of the option `facts`, or one of the library. If the payload lacks
   * it, the delivery is parked (EVT-02). Correct the mapping, then run `switchhook inbox retry --parked`.
   *
   * @throws SwitchhookError `fact_missing`
   */
  need<K extends 'customer' | 'at' | 'template' | (N extends keyof E['facts'] ? keyof E['facts'][N] & string : never)>(
    fact: K,
  ): N extends keyof E['facts'] ? (K extends keyof E['facts'][N] ? E['facts'][N][K] : string) : string
} & (N extends 'message.sent' ? Sent : object)

/**
 * The additional members of `message.sent`'s context. The event reports a message of the number, but not its sender.
 */
export interface Sent {
  /**
   * Finds out who sent the message. `bot`: the event names a send of this bot. `other`: a person, the service's own
   * agent or another app, because the event matches no send to this customer. `unclear`: the outcome of a send to this
   * customer is unknown, or the event has no id.
   *
   * The result is known 30 s after the event arrived, and not while a send to this customer is under way. Until then
   * the handler is run again from its beginning, which does not count as an attempt.
   */
  sentBy(): Promise<'bot' | 'other' | 'unclear'>
}
