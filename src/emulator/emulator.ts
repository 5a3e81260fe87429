import type { TemplateOut } from '../contract/index.ts'
import type { Assumptions } from './assumptions.ts'
import type { AccountView } from './control/account.ts'
import type { SubscriptionView } from './control/subscriptions.ts'
import type { DeliveryView } from './deliver/delivery.ts'
import type { ShownCode, ThreadItem } from './phone/thread.ts'
import type { Written } from './phone/write.ts'
import type { Explanation } from './service/explain.ts'
import type { KeyView } from './service/keys.ts'

/** The person on the other side. */
export interface EmulatedCustomer {
  /** Writes a text; opens the window. */
  says(text: string): Promise<Written>
  /** Taps a button, a row or a quick reply that the phone shows, by its id. */
  taps(id: string): Promise<Written>
  /** What the phone shows, oldest first, and the refused sends beside it. */
  thread(): Promise<readonly ThreadItem[]>
  /** The one-time codes that the handset shows, oldest first; everywhere else they are withheld. */
  codes(): Promise<readonly ShownCode[]>
}

/** The whole service on this machine: no send leaves it. */
export interface Emulator {
  /** Base address of the API, for instance `http://127.0.0.1:4747`. */
  readonly url: string
  /** Of the emulated business: what `phone_number_id` says in payloads. */
  readonly phoneNumberId: string
  /** The first number's, as it is now. */
  readonly accessToken: string
  /** The secret of the first subscription. */
  readonly signingSecret: string
  /** What changes through the control API need. */
  readonly controlToken: string
  readonly clock: {
    /** Moves the clock forward by a span such as `'25h'` or by milliseconds; what became due happens at once. */
    advance(by: string | number): Promise<void>
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
  /** Back to the beginning: no customers, templates, keys, deliveries or faults; the first subscription alone. */
  reset(): Promise<void>
  /** Stops listening, delivering and retrying. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
