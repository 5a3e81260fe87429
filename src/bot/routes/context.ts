import type { ContextMembers, ReachMembers } from '../../built-in/context-members.ts'
import type { INBOUND_KINDS, InboundKind, SIGNAL_KINDS, SignalKind } from '../../service/message-kinds.ts'
import type { Log } from '../../base/log.ts'
import type { Content, OneTimeCode, Template } from '../../service/content.ts'
import type { Window } from '../outbox/window.ts'
import type { HandlerSendOptions, ReplyOptions, SendKey } from '../outbox/send-options.ts'
import type { Send, SendResult, Status } from '../outbox/send.ts'

/** What differs between bots in a context. */
export interface Env {
  /** The app's own state about one customer. */
  session: unknown
  number: string
  /** The members that `with` adds to the context. */
  vars: object
  /** The app's own facts, by event. */
  facts: Record<string, Record<string, unknown>>
}

/** Payloads by event name. Declare members by module augmentation. */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- filled by augmentation
export interface Payloads {}

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

export interface LocationFact {
  latitude: number
  longitude: number
  name: string | undefined
  address: string | undefined
}

/** A customer's message. Payloads are not documented, so members may be undefined. */
export interface Message {
  id: string | undefined
  kind: Open<InboundKind | SignalKind>
  /** The payload's time; if it has none, the time of receipt. */
  at: Date
  text: string | undefined
  /** A button, a row of a list, or a template's quick reply (EVT-03). */
  tapped: { id: string; title: string | undefined } | undefined
  media: MediaFact | undefined
  location: LocationFact | undefined
  /** A reaction. The emoji is empty if it was removed. `to`: the id of the message that the customer reacted to. */
  reaction: { emoji: string; to: string | undefined } | undefined
}

export interface HistoryEntry {
  by: 'customer' | 'bot' | 'person' | 'agent'
  /** Service time of the customer's message, or of the service's acceptance of the send. */
  at: Date
  kind: Open<InboundKind | SignalKind | 'template'>
  /** The text, the caption or the title of the tapped option; undefined for a template or a signal, such as an edit. */
  text: string | undefined
  /** The `slot` that the app gave this reply. */
  slot: string | undefined
  /** A template's name and parameters. The service has its texts. */
  template?: { name: string; language: string; parameters: readonly string[] }
  /** True if the content was removed after the time that the option `retention` sets. */
  gone: boolean
}

export type Has<K extends keyof Message> = Message & { [P in K]: NonNullable<Message[P]> }

type ContentOf = typeof INBOUND_KINDS & typeof SIGNAL_KINDS

export type OfKind<K extends InboundKind | SignalKind> = K extends keyof ContentOf
  ? Has<Extract<ContentOf[K], keyof Message>>
  : never

export interface OptOutOptions {
  /** How the customer opted out, such as `'web form'`. It outlives `forget`, so put no personal data into it. */
  how: string
  /** When the customer opted out. Default: now. */
  at?: Date
}

/** An opt-out that is in force. */
export interface OptedOut {
  readonly at: Date
  readonly how: string
}

/** What you can do for one customer, by `bot.to(customer)` and `ctx.to(customer)`. */
export interface Reach<O, S = unknown> extends ReachMembers {
  /**
   * Sends a message that is not a reply, even while somebody else has this customer.
   *
   *     await bot.to('255712000101').send('Order 7781 is ready.', { key: ['order', 7781, 'ready'] })
   *
   * A one-time code is never stored: it is sent at once or not at all. Use a new key for each verification.
   */
  // One signature instead of overloads, so that the compiler's message names the wrong option.
  send<C extends Content | Template | OneTimeCode>(
    content: C,
    options: C extends OneTimeCode ? { key: SendKey } : O,
  ): Promise<SendResult>
  /** The stored session, or a new one, without the changes of a running handler. */
  session(): Promise<S>
  /**
   * Announcements and sends of `kind: 'marketing'` skip this customer from now on, on every number of `numbers`. If the
   * numbers come from a source, only on this one.
   *
   *     await bot.to('255712000101').optOut({ how: 'web form' })
   */
  optOut(o: OptOutOptions): Promise<void>
  /** Ends the opt-out on this number. Resolves with false, and changes nothing, if they opted out after `at`. */
  optIn(o: OptOutOptions): Promise<boolean>
  /** Returns the opt-out that is in force. */
  optedOut(): Promise<OptedOut | undefined>
  /**
   * Erases everything stored about this customer. Only an opt-out stays, without the number. When it resolves, waiting
   * messages are not handled any more, waiting sends are cancelled, and the session, the window and who has the
   * customer are removed. The rest is erased next, and a message in progress when it ends. Effects of its handler are
   * refused, but one that forgets its own customer can still reply. Keys used for this customer are free again.
   */
  forget(): Promise<void>
}

/** What every context has. You can destructure it. A copy by spread lacks lazy members such as `log` and `session`. */
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
  /** Like `bot.to`, but the key comes from this delivery. */
  to(customer: string): Reach<HandlerSendOptions, E['session']>
  /**
   * Runs an effect once: its JSON result is stored, and every rerun gets it. A crash or a missed deadline inside the
   * effect runs it again. A result that JSON cannot represent makes a dead letter at once. Names are local to their route.
   * Not for secrets, because the result is stored on disk.
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
  X &
  ContextMembers & {
    readonly event: { readonly json: PayloadOf<'message.received'> }
    /** Change it freely: it is saved when the handler succeeds. */
    session: E['session']
    readonly customer: string
    /** The name in the customer's profile, which they chose themselves. */
    readonly name: string | undefined
    /** The app's own facts of `message.received`, as the option `facts` maps them. */
    readonly facts: E['facts'] extends { 'message.received': infer F } ? Partial<F> : Record<string, unknown>
    /**
     * The message. Of several that are handled as one, the last that the route matches; for `otherwise` and
     * middleware, the last.
     */
    readonly message: M
    /** The messages that are handled as one, by payload time. `event` is the delivery of the last one. */
    readonly messages: readonly Message[]
    readonly window: Window
    /**
     * The conversation so far, oldest first: this customer's messages, ending with this one, and the accepted sends. Not
     * included: one-time codes, and what a person wrote elsewhere. A rerun may find more, so compute anything that
     * depends on it inside a `once`.
     *
     * @param o.last how many messages in total, from 1 to 200. Default 20.
     * @throws SwitchhookError `options_invalid`
     */
    history(o?: { last?: number }): Promise<readonly HistoryEntry[]>
    /** True if a message with a later payload time was handled before. */
    readonly late: boolean
    /**
     * Set if an option was tapped. `of`: the send that showed the option. It is known for `buttons(…, { once: true })`
     * and for questions in conversations.
     */
    readonly tap: { readonly of: Send | undefined } | undefined
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

/** The context of `onWindowClosing` and `onEnd`. */
// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
export type CustomerContext<E extends Env = any> = Base<E> & {
  readonly customer: string
  /** Saved when the handler succeeds. */
  session: E['session']
  /** Sends a reply. It is sent once, even if the handler runs again: see `ReplyOptions.slot`. */
  reply(content: Content | Template, options?: ReplyOptions): Promise<SendResult>
}

// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
export type FailedSendContext<E extends Env = any> = Base<E> & {
  /** The failed send. `state` is `refused`, `unknown`, `skipped` (too late) or `lost_code`. */
  readonly send: Send
  /** The service's code for a refusal, or `stale` if it was too late. */
  readonly code: string | undefined
  readonly reason: string
}

// oxlint-disable-next-line typescript/no-explicit-any -- a helper takes any bot's context
export type EventContext<E extends Env = any, N extends string = string> = Base<E> & {
  readonly customer: string | undefined
  /** Undefined if the bytes are not a JSON object. */
  readonly json: PayloadOf<N>
  /**
   * Returns a fact that the handler needs. If the payload lacks it, the delivery is parked (EVT-02): correct the
   * option `facts`, then run `switchhook inbox retry --parked`.
   *
   * @throws SwitchhookError `fact_missing`
   */
  need<K extends 'customer' | 'at' | 'template' | (N extends keyof E['facts'] ? keyof E['facts'][N] & string : never)>(
    fact: K,
  ): N extends keyof E['facts'] ? (K extends keyof E['facts'][N] ? E['facts'][N][K] : string) : string
} & (N extends 'message.sent' ? Sent : object)

/** `message.sent` reports a message of the number, but not its sender. */
export interface Sent {
  /**
   * Finds out who sent the message. `other`: a person, the service's own agent or another app. `unclear`: the outcome of
   * a send to this customer is unknown, or the event has no id.
   *
   * The result is known at once, but not while a send to this customer is under way. Until then the handler is run again
   * from its beginning, which does not count as an attempt.
   */
  sentBy(): Promise<'bot' | 'other' | 'unclear'>
}
