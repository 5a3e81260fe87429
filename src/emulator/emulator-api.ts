import type { InboundMediaKind } from '../service/message-kinds.ts'
import type { TemplateOut } from '../service/answers.ts'
import type { Assumptions } from './model/assumptions.ts'
import type { AccountView } from './control/account-control.ts'
import type { AgentView } from './control/customers-control.ts'
import type { EventView, Fired } from './control/deliveries-control.ts'
import type { DeliveryView } from './deliver/delivery.ts'
import type { SubscriptionView } from './deliver/subscriptions.ts'
import type { Moved, Written } from './actors/customer.ts'
import type { Handset } from './model/phones.ts'
import type { Signal } from './actors/signals.ts'
import type { Inbound, InboundLocation, ShownCode, ThreadItem } from './model/thread.ts'
import type { KeyView } from './model/keys.ts'

/** A customer of the emulated business, played by a test. */
export interface EmulatedCustomer {
  /** Writes a text, which opens the window. */
  says(text: string): Promise<Written>
  /** Taps a button, a row or a quick reply on the phone, by its id. */
  taps(id: string): Promise<Written>
  /** Sends media: `{kind: 'audio', url, durationMs}` is a voice note. */
  sendsMedia(media: CustomerMedia): Promise<Written>
  /** Sends a location, contacts or a signal: `{ signal: { kind: 'reaction', emoji: '👍' } }`. */
  acts(what: CustomerAct): Promise<Written>
  /** Reads one message or all. */
  reads(messageId?: string): Promise<Moved>
  /** Plays one voice note or all. */
  plays(messageId?: string): Promise<Moved>
  /** Changes the given members: `online`, `blocked`. */
  setHandset(change: Partial<Handset>): Promise<Handset>
  /** Everything on the phone, oldest first, including refused sends. */
  thread(): Promise<readonly ThreadItem[]>
  /** The one-time codes that the phone shows, oldest first. They are withheld everywhere else. */
  codes(): Promise<readonly ShownCode[]>
}

export type CustomerAct =
  | { readonly location: InboundLocation }
  | { readonly contacts: NonNullable<Inbound['contacts']> }
  | { readonly signal: Signal }

export interface CustomerMedia {
  /** Default: the kind that the file's name suggests, else `image`. */
  readonly kind?: InboundMediaKind
  /** Default: an address of this emulator, which serves `file`. Without `file`: an address that serves nothing. */
  readonly url?: string
  /** The path of a file to send. */
  readonly file?: string
  readonly mime?: string
  readonly filename?: string
  readonly caption?: string
  readonly durationMs?: number
}

/** The whole service on this machine. Nothing that you send leaves it. */
export interface Emulator {
  /** The base address of the API, for instance `http://127.0.0.1:4747`. */
  readonly url: string
  /** The id of the emulated business number, `phone_number_id` in payloads. */
  readonly phoneNumberId: string
  /** The first number's current access token. */
  readonly accessToken: string
  /** The first subscription's current secret. */
  readonly signingSecret: string
  /** The token for the control API. */
  readonly controlToken: string
  readonly clock: {
    /**
     * Moves the clock forward by a span such as `'25h'` or by milliseconds. Everything that becomes due happens at
     * once. An app learns the new time from the next delivery or answer. With `tellApp` it learns it at once: its last
     * delivery is sent again.
     */
    advance(by: string | number, more?: { tellApp?: boolean }): Promise<void>
    /** Moves the clock to a time, in either direction. */
    set(to: Date): Promise<void>
    /** Sets the clock to its start: wall time, or the option `now`. */
    reset(): Promise<void>
  }
  /** A customer, by the digits of a phone number. Writes to the first connected number, or to `number`. */
  customer(digits: string, more?: { number?: string }): EmulatedCustomer
  readonly deliveries: {
    /** All deliveries with their attempts, oldest first. */
    list(): Promise<readonly DeliveryView[]>
    /** Waits for the first matching delivery, for `ms` (default 5000). Then rejects with a `TimeoutError`. */
    wait(where: (delivery: DeliveryView) => boolean, ms?: number): Promise<DeliveryView>
    /** Makes the next attempt of each failed delivery now, as if it were due. Resolves with how many. */
    retry(): Promise<number>
  }
  readonly subscriptions: {
    /** Registers or reactivates an endpoint. Default of `secret`: generated. Only this answer shows the secret. */
    register(subscription: { url: string; secret?: string }): Promise<SubscriptionView & { readonly secret: string }>
    list(): Promise<readonly SubscriptionView[]>
  }
  readonly templates: {
    /**
     * Adds an approved template, by its `body` or its `components`. With `category: 'AUTHENTICATION'` it is a template
     * for one-time codes, with `securityReminder`, `expiryMinutes` and `buttonText` instead.
     */
    add(template: Readonly<Record<string, unknown>>): Promise<TemplateOut>
  }
  readonly faults: {
    /** Arms these rules and disarms all others. */
    set(rules: readonly Readonly<Record<string, unknown>>[]): Promise<void>
    clear(): Promise<void>
  }
  readonly keys: {
    /** The idempotency keys that the service remembers. */
    list(): Promise<readonly KeyView[]>
  }
  readonly account: {
    /** The plan, suspension and numbers. Tokens are masked, as in the dashboard. */
    get(): Promise<AccountView>
    /** Changes the given members, such as `plan`, `suspended`, `numbers` or `rotate`. The answer shows the tokens. */
    set(change: Readonly<Record<string, unknown>>): Promise<AccountView>
  }
  readonly assumptions: {
    get(): Promise<Assumptions>
    /** Switches some of the assumptions. The others stay unchanged. */
    set(change: Partial<Assumptions>): Promise<Assumptions>
  }
  readonly events: {
    /** The events of the last 30 days, oldest first. */
    list(): Promise<readonly EventView[]>
    /** Fires an event with any `payload`, or an example of it, to all subscriptions. */
    fire(firing: Readonly<Record<string, unknown>>): Promise<Fired>
  }
  /** Plays the service's AI agent. It is off by default. */
  readonly agent: {
    get(): Promise<AgentView>
    /** Changes the given members: `on`, and `answersFirst` (it answers before your app receives the message). */
    set(change: Readonly<Record<string, unknown>>): Promise<AgentView>
  }
  /** Starts over: removes customers, templates, keys, deliveries and faults, and keeps only the first subscription. */
  reset(): Promise<void>
  /** Stops listening, delivering and retrying. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
