import type { InboundKind } from '../contract/index.ts'
import type { Log } from '../base/log.ts'
import type { Duration } from '../base/duration.ts'
import type { Content, OneTimeCode, Template } from '../content/content.ts'
import type { Agent } from '../outbox/takeover.ts'
import type { HandlerSendOptions, ReplyOptions, SendKey } from '../outbox/send-options.ts'
import type { Send, SendResult, Status } from '../outbox/send.ts'
import type { Window } from '../outbox/window.ts'

/** The parts of a context that differ from bot to bot; the bot's type fills them in. */
export interface Env {
  /** The app's own state about one customer. */
  session: unknown
  number: string
  /** The members that `with` adds to the context. */
  vars: object
  /** The app's own facts, by event. */
  facts: Record<string, Record<string, unknown>>
}

/**
 * The payloads by event name, for `ctx.event.json`. Empty: your app may declare members by module augmentation.
 */
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

/** A customer's message, read from its undocumented payload. */
export interface Message {
  id: string | undefined
  kind: Open<InboundKind>
  /** By the payload, else the time of receipt. */
  at: Date
  text: string | undefined
  /** The option that was tapped: a button, a row of a list, or a template's quick reply (EVT-03). */
  tapped: { id: string; title: string | undefined } | undefined
  media: MediaFact | undefined
}

/** One message of a conversation, as `ctx.history` shows it. */
export interface Said {
  by: 'customer' | 'bot'
  /** Service time: of the customer's message, or when the service took the send. */
  at: Date
  kind: Open<InboundKind | 'template'>
  /** The text, the caption or the title of the tapped option; undefined for a template. */
  text: string | undefined
  /** A template's texts lie with the service: these are its name and what was put into it. */
  template?: { name: string; language: string; parameters: readonly string[] }
  /** The customer said something, and its content is no longer kept: see the option `retention`. */
  gone: boolean
}

/** A conversation, as `bot.conversation` makes it: for `ctx.enter`, `chat.enter` and `bot.to(customer).enter`. */
export interface Conversation<I = void> {
  readonly name: string
  /** For types alone. */
  readonly input?: I
}

export type Has<K extends keyof Message> = Message & { [P in K]: NonNullable<Message[P]> }

/** The methods that act on one customer: those of `bot.to(customer)` and `ctx.to(customer)`. */
export interface Reach<O, S = unknown> {
  /**
   * Sends a message that is no reply: it goes out also while the bot is silent for this customer.
   *
   * A one-time code goes out from memory alone, at once or not at all. Use a new key for
   * each verification. A new code under the same key goes out only if the last one was refused, lost or left unknown.
   */
  // One signature instead of overloads, so that the compiler's message names the wrong option.
  send<C extends Content | Template | OneTimeCode>(
    content: C,
    options: C extends OneTimeCode ? { key: SendKey } : O,
  ): Promise<SendResult>
  /** A person answers this customer: the bot does not reply for that long. */
  handOver(o: { for: Duration }): Promise<void>
  /** The bot replies to this customer again. */
  resume(): Promise<void>
  /**
   * Reads this customer's session as it was last stored, or a new one, for instance for the language in which to write.
   * The changes of a running handler are not in it yet: they are stored when the handler has ended.
   */
  session(): Promise<S>
  /**
   * Has this customer enter a conversation, as the next thing that happens to them; another one that is open ends. It is
   * kept, and nobody waits for it. If the window may be closed, give the first question a template: `outsideWindow`.
   */
  enter<I>(conversation: Conversation<I>, ...input: I extends void ? [] : [I]): Promise<void>
  /**
   * Erases what is kept of this customer. Once it resolves, a send that has surely not gone out is cancelled, session,
   * mute and window are gone, and messages and sends with their statuses are erased right behind it, in small
   * portions. A message that is being handled or sent is erased within the hour after it has ended. A key that was used
   * for this customer is free again.
   */
  forget(): Promise<void>
}

/**
 * The part of the context that every handler has. Handlers may take members out of it, `({ message, reply }) => …`; a
 * copy by spread lacks what is made when it is asked for, such as `log`, `session` and `signal`.
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
  /** Like `bot.to`, but the key comes from the cause of this delivery. */
  to(customer: string): Reach<HandlerSendOptions, E['session']>
  /**
   * Runs an effect once: stores its JSON result with the delivery and gives it back to every rerun. A crash inside the
   * effect, or a deadline that passes in it, runs the effect again; once its result is stored it never runs again. A
   * result that JSON cannot hold makes a dead letter at once, since another run would not help. Names belong to
   * their route: the same name in another handler is another effect. Not for secrets: the result lies on disk.
   */
  once<T>(name: string, effect: () => T | Promise<T>): Promise<T>
  /** 1 for the first. */
  readonly attempt: number
  readonly lastAttempt: boolean
  /** Aborted when the attempt is over: at its deadline, or when the bot stops. */
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
    /** Read and written freely; stored with the settlement of this message, so not if the handler fails. */
    session: E['session']
    readonly customer: string
    /** Of a burst the last message that the route takes; for `otherwise` and middleware the last one. */
    readonly message: M
    /**
     * Those of the burst by payload time, if the option `burst` is set; else the message alone. `event` is the delivery of
     * the last one.
     */
    readonly messages: readonly Message[]
    readonly window: Window
    /**
     * Reads what was said both ways, oldest first: the last messages of this customer, this one at the end, and the
     * sends that the service took. Of what is no longer kept it shows `gone`, or nothing. Not in it: one-time codes,
     * messages that wait behind this one, and what a person wrote elsewhere. A rerun may find more, so let what is made
     * of it be the result of a `once`.
     *
     * @param last how many messages of both together, from 1 to 200; default 20.
     * @throws SwitchhookError `options_invalid`
     */
    history(last?: number): Promise<readonly Said[]>
    /** A message with a later payload time was handled before this one, or before one of its burst. */
    readonly late: boolean
    /** Tells whether the service's own agent answers this customer. Each send pauses it (GEN-06). */
    readonly agent: Agent
    /** A person answers this customer: the bot does not reply for that long. */
    handOver(o: { for: Duration }): Promise<void>
    /** The bot replies again, after `BOT` or a hand-over. */
    resume(): Promise<void>
    /**
     * Enters a conversation: resolves when its script waits for an answer or a time, or has ended. Another one that is
     * open with this customer ends. `input` is kept as JSON.
     */
    enter<I>(conversation: Conversation<I>, ...input: I extends void ? [] : [I]): Promise<void>
    /** Sends once, however often this handler runs: see `ReplyOptions.slot`. */
    reply(content: Content | Template, options?: ReplyOptions): Promise<SendResult>
  }

// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
export type StatusContext<E extends Env = any> = Base<E> & {
  readonly event: { readonly json: PayloadOf<'message.status'> }
  readonly status: Status
  /** The send that this status speaks of; undefined for one that this bot did not make. */
  readonly sent: Send | undefined
  readonly customer: string | undefined
}

/** The context of a handler that hears of a customer, and not of a message: of `onWindowClosing`, and of `onEnd`. */
// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
export type CustomerContext<E extends Env = any> = Base<E> & {
  readonly customer: string
  /** Stored with the settlement, as in a message's handler. */
  session: E['session']
  /** Sends once, however often this handler runs: see `ReplyOptions.slot`. */
  reply(content: Content | Template, options?: ReplyOptions): Promise<SendResult>
}

// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
export type FailedSendContext<E extends Env = any> = Base<E> & {
  /** The send as it ended: `state` is `refused`, `unknown`, `skipped` (it came too late) or `lost_code`. */
  readonly send: Send
  /** The service's code for a refusal, `stale` for what came too late; undefined if there is none. */
  readonly code: string | undefined
  /** The reason in words, for a person. */
  readonly reason: string
}

// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
export type EventContext<E extends Env = any, N extends string = string> = Base<E> & {
  readonly customer: string | undefined
  /** The payload, typed if `Payloads` knows the event; undefined if the bytes are no JSON object. */
  readonly json: PayloadOf<N>
  /**
   * A fact that the handler cannot do without: mapped by the option `facts`, or one of the library's own. If the
   * payload does not have it, the delivery is parked (EVT-02): fix the mapping, then `switchhook inbox retry
   * --parked`.
   *
   * @throws SwitchhookError `fact_missing`
   */
  need<K extends 'customer' | 'at' | 'template' | (N extends keyof E['facts'] ? keyof E['facts'][N] & string : never)>(
    fact: K,
  ): N extends keyof E['facts'] ? (K extends keyof E['facts'][N] ? E['facts'][N][K] : string) : string
} & (N extends 'message.sent' ? Sent : object)

/**
 * The additional part of the context of `message.sent`: the number sent a message, and the event does not say who did.
 */
export interface Sent {
  /**
   * Tells who sent the message. `bot`: the event names a send of this bot. `other`: a person, the service's own agent
   * or another app, since the event names no send, and no send to this customer can be meant. `unclear`: the outcome of
   * a send to this customer is unknown, or the event has no id by which to tell.
   *
   * Known 30 s after the event came, and not while a send to this customer is under way: until then the handler is run
   * again from its beginning, which counts as no attempt.
   */
  sentBy(): Promise<'bot' | 'other' | 'unclear'>
}
