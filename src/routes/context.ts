import type { InboundKind } from '../contract/index.ts'
import type { Log } from '../base/log.ts'
import type { Duration } from '../base/duration.ts'
import type { Content, OneTimeCode, Template } from '../content/index.ts'
import type { Agent, Send, SendResult, Status, Window } from '../outbox/index.ts'

/** What a bot's handlers can rely on beyond the message: filled in by the bot's type. */
export interface Env {
  /** The app's own state about one customer. */
  session: unknown
  number: string
  /** What `with` adds to the context. */
  vars: object
  /** Facts of the app's own, by event. */
  facts: Record<string, Record<string, unknown>>
}

/**
 * The payloads by event name, as they were observed. Empty here: `switchhook payload types` fills it by module
 * augmentation, from deliveries that were received.
 */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- filled by augmentation
export interface Payloads {}

type Open<T extends string> = T | (string & {})

export interface MediaFact {
  kind: string
  url: string
  mime?: string
  filename?: string
  caption?: string
  durationMs?: number
}

/** A customer's message, as far as its undocumented payload could be read. */
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

export type Has<K extends keyof Message> = Message & { [P in K]: NonNullable<Message[P]> }

export interface ReplyOptions {
  /** What goes out instead where the 24-hour window is closed. */
  outsideWindow?: Template
  /** Names this reply within its route; unnamed replies are told apart by their order. */
  slot?: string
  /** The app's own reference; it comes back with the statuses of this message. */
  ref?: string
}

/** The app's own name for a message: what it is about, for instance `['order', id, 'ready']` (IDEM-01). */
export type SendKey = string | readonly (string | number)[]

export interface SendOptions {
  /** The same key is sent once. */
  key: SendKey
  outsideWindow?: Template
  ref?: string
  /**
   * Service time before which it is kept and not sent; `bot.cancel(key)` takes it back. A past one is now. A span such as
   * `'24h'` is reckoned from the service's time when it is recorded, and not anew where it is asked for again.
   */
  at?: Date | Exclude<Duration, number>
  /** `accepted` (default): resolves when the service took it; `stored`: as soon as it is on disk. */
  wait?: 'accepted' | 'stored'
}

/** A customer within reach. */
export interface Reach<O, S = unknown> {
  /**
   * Goes out also while the bot is silent for this customer: what the app says of its own is no reply.
   *
   * A one-time code goes out from memory alone, at once or not at all. Give each attempt at proving who somebody is a
   * key of its own; a new code under the same key goes out only where the last one was refused, lost or left unknown.
   */
  // One signature, so that the compiler speaks of the option that is wrong and not of an overload.
  send<C extends Content | Template | OneTimeCode>(
    content: C,
    options: C extends OneTimeCode ? { key: SendKey } : O,
  ): Promise<SendResult>
  /** A person answers this customer: the bot does not reply for that long. */
  handOver(o: { for: Duration }): Promise<void>
  /** The bot replies to this customer again. */
  resume(): Promise<void>
  /**
   * This customer's session as it was last stored, or a new one: to read, for instance the language in which to write. A
   * handler's changes are stored when it has ended, so they are not in it before.
   */
  session(): Promise<S>
  /**
   * Erases what is kept of this customer: messages, sends with their statuses, session, window. What is to go out and
   * surely did not go out is cancelled; what is being handled or sent goes within the hour after it has ended. A key that was
   * used for this customer is free again.
   */
  forget(): Promise<void>
}

/** What every handler has. */
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
  to(customer: string): Reach<Omit<SendOptions, 'key'>, E['session']>
  /**
   * Stores the effect's JSON result with the delivery and gives it back to every rerun. A crash inside the effect, or a
   * deadline that passes in it, runs it again; after its result is stored, never. A result that JSON cannot hold makes a
   * dead letter at once, since another run would mend nothing. The name is the route's own: another handler's effect of that
   * name is another one. Not for secrets: the result lies on disk.
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
    /** Read and written freely; stored with the settlement of this message, so not where the handler fails. */
    session: E['session']
    readonly customer: string
    readonly message: M
    readonly messages: readonly Message[]
    readonly window: Window
    /** A message with a later payload time was handled before this one. */
    readonly late: boolean
    /** Whether the service's own agent answers this customer. Each send pauses it (GEN-06). */
    readonly agent: Agent
    /** A person answers this customer: the bot does not reply for that long. */
    handOver(o: { for: Duration }): Promise<void>
    /** The bot replies again, after `BOT` or a hand-over. */
    resume(): Promise<void>
    /** Sends once, however often this handler runs: see `ReplyOptions.slot`. */
    reply(content: Content | Template, options?: ReplyOptions): Promise<SendResult>
  }

// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
export type StatusContext<E extends Env = any> = Base<E> & {
  readonly status: Status
  /** The send that this status speaks of; undefined for one that this bot did not make. */
  readonly sent: Send | undefined
  readonly customer: string | undefined
}

// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
export type EventContext<E extends Env = any, N extends string = string> = Base<E> & {
  readonly customer: string | undefined
  /** The payload, typed where `Payloads` knows the event; undefined where the bytes are no JSON object. */
  readonly json: N extends keyof Payloads ? Payloads[N] : unknown
  /**
   * A fact that the handler cannot do without: mapped by the option `facts`, or one of the library's own. Where the
   * payload does not have it the delivery is parked (EVT-02): mend the mapping, then `switchhook inbox retry --parked`.
   *
   * @throws SwitchhookError `fact_missing`
   */
  need<K extends 'customer' | 'at' | 'template' | (N extends keyof E['facts'] ? keyof E['facts'][N] & string : never)>(
    fact: K,
  ): N extends keyof E['facts'] ? (K extends keyof E['facts'][N] ? E['facts'][N][K] : string) : string
} & (N extends 'message.sent' ? Sent : object)

/** What the context of `message.sent` has besides: the number sent something, and it does not say who did. */
export interface Sent {
  /**
   * Who sent it. `bot`: it names a send of this bot. `other`: a person, the service's own agent or another app, since it
   * names none, and no send to this customer can be it. `unclear`: there is one whose outcome is not known, or an id by
   * which to tell is missing.
   *
   * Told 30 s after the event came, and not while a send to this customer is under way: until then the handler is run
   * again from its beginning, which is no attempt.
   */
  sentBy(): Promise<'bot' | 'other' | 'unclear'>
}
