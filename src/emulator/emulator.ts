import type { InboundMediaKind, TemplateOut } from '../contract/index.ts'
import type { Assumptions } from './model/assumptions.ts'
import type { AccountView } from './control/account.ts'
import type { AgentView } from './control/dashboard.ts'
import type { EventView } from './control/events.ts'
import type { SubscriptionView } from './control/subscriptions.ts'
import type { DeliveryView } from './deliver/delivery.ts'
import type { Fired } from './control/events.ts'
import type { PaidOrder } from './actors/customer.ts'
import type { Handset } from './model/phones.ts'
import type { Moved } from './actors/handset.ts'
import type { ShownCode, ThreadItem } from './model/thread.ts'
import type { Written } from './actors/customer.ts'
import type { Explanation } from './service/explain.ts'
import type { KeyView } from './model/keys.ts'
import type { Snapshot } from './snapshot.ts'

/** The person on the other side. */
export interface EmulatedCustomer {
  /** Writes a text; opens the window. */
  says(text: string): Promise<Written>
  /** Taps a button, a row or a quick reply that the phone shows, by its id. */
  taps(id: string): Promise<Written>
  /** Sends media: `{kind: 'audio', url, durationMs}` is a voice note. */
  sendsMedia(media: CustomerMedia): Promise<Written>
  /** Reads what came, one message or all; the app hears of it unless the handset gives no receipts. */
  reads(messageId?: string): Promise<Moved>
  /** Plays voice notes, one or all. */
  plays(messageId?: string): Promise<Moved>
  /** Changes what is given: `online`, `receipts`, `blocked`. */
  setHandset(change: Partial<Handset>): Promise<Handset>
  /** Pays an order: `order.paid`. */
  pays(order?: { amount?: string; currency?: string }): Promise<PaidOrder>
  /** What the phone shows, oldest first, and the refused sends beside it. */
  thread(): Promise<readonly ThreadItem[]>
  /** The one-time codes that the handset shows, oldest first; everywhere else they are withheld. */
  codes(): Promise<readonly ShownCode[]>
}

export interface CustomerMedia {
  readonly kind: InboundMediaKind
  readonly url: string
  readonly mime?: string
  readonly filename?: string
  readonly caption?: string
  readonly durationMs?: number
}

/** The whole service on this machine: no send leaves it. */
export interface Emulator {
  /** Base address of the API, for instance `http://127.0.0.1:4747`. */
  readonly url: string
  /** Of the emulated business: what `phone_number_id` says in payloads. */
  readonly phoneNumberId: string
  /** The first number's, as it is now. */
  readonly accessToken: string
  /** The secret of the first subscription, as it is now. */
  readonly signingSecret: string
  /** What changes through the control API need. */
  readonly controlToken: string
  readonly clock: {
    /**
     * Moves the clock forward by a span such as `'25h'` or by milliseconds; what became due happens at once. An app hears
     * of it by the next delivery or answer; with `tellApp` at once, since the last delivery that it took comes once more.
     */
    advance(by: string | number, more?: { tellApp?: boolean }): Promise<void>
    /** Moves the clock to a time, in either direction. */
    set(to: Date): Promise<void>
    /** As it began: wall time, unless the option `now` said otherwise. */
    reset(): Promise<void>
  }
  /** A customer by the digits of a phone number; writes to the first connected number, unless `number` names another. */
  customer(digits: string, more?: { number?: string }): EmulatedCustomer
  readonly deliveries: {
    /** All deliveries with their attempts, oldest first. */
    list(): Promise<readonly DeliveryView[]>
    /** The first delivery that fits, now or within `ms` (default 5000); else rejects with a `TimeoutError`. */
    wait(where: (delivery: DeliveryView) => boolean, ms?: number): Promise<DeliveryView>
  }
  readonly subscriptions: {
    /** Registers an endpoint, or reactivates it; without `secret` a new one is made, and answered once. */
    register(subscription: { url: string; secret?: string }): Promise<SubscriptionView & { readonly secret: string }>
    list(): Promise<readonly SubscriptionView[]>
  }
  readonly templates: {
    /**
     * Adds an approved template, in short (`body`) or by its `components`; with `category: 'AUTHENTICATION'` one
     * for one-time codes, which has `securityReminder`, `expiryMinutes` and `buttonText` instead.
     */
    add(template: Readonly<Record<string, unknown>>): Promise<TemplateOut>
  }
  readonly faults: {
    /** Arms these rules in place of all others. */
    set(rules: readonly Readonly<Record<string, unknown>>[]): Promise<void>
    clear(): Promise<void>
  }
  readonly keys: {
    /** The idempotency keys that the service remembers. */
    list(): Promise<readonly KeyView[]>
    /** Settles what a fault holds in flight, one key or all; answers how many. */
    release(key?: string): Promise<number>
    /** Lets the service forget what is settled, one key or all; answers how many. */
    forget(key?: string): Promise<number>
  }
  readonly account: {
    /** Plan, suspension, numbers; tokens only as the dashboard previews them. */
    get(): Promise<AccountView>
    /** Changes what is given: `plan`, `suspended`, `numbers`, `rotate`. The answer shows the tokens. */
    set(change: Readonly<Record<string, unknown>>): Promise<AccountView>
  }
  readonly assumptions: {
    get(): Promise<Assumptions>
    /** Switches some of the assumptions; the others stay as they are. */
    set(change: Partial<Assumptions>): Promise<Assumptions>
  }
  /** What would become of a send, check by check; nothing changes and nothing is sent. */
  explain(question: Readonly<Record<string, unknown>>): Promise<Explanation>
  readonly events: {
    /** The log: the events of the last 30 days, oldest first. */
    list(): Promise<readonly EventView[]>
    /** Fires any event with any `payload`, or an example of it; a `subscription` by id or url gets it alone. */
    fire(firing: Readonly<Record<string, unknown>>): Promise<Fired>
  }
  /** The stub of the service's AI agent, off until it is switched on. */
  readonly agent: {
    get(): Promise<AgentView>
    /** Changes what is given: `on`, `answersFirst`, `answersAfterMs`, `says`, `handsOverOn`. */
    set(change: Readonly<Record<string, unknown>>): Promise<AgentView>
  }
  /** Everything that the service knows, but for one-time codes; it holds tokens and secrets. */
  snapshot(): Promise<Snapshot>
  /** Goes on from a snapshot, at the time at which it was taken. A send that is under way is answered 500, as at a reset. */
  restore(snapshot: Snapshot): Promise<void>
  /** Back to the beginning: no customers, templates, keys, deliveries or faults; the first subscription alone. */
  reset(): Promise<void>
  /** Stops listening, delivering and retrying. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
