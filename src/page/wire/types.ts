/** What the emulator's control API answers, as far as the page reads it. */

export interface ThreadItem {
  readonly id: string
  readonly direction: 'INBOUND' | 'OUTBOUND'
  readonly kind: string
  readonly text: string | null
  readonly status: string | null
  readonly at: string
  readonly by?: 'agent' | 'dashboard'
  readonly failureReason?: string
  readonly template?: Template
  readonly quickReplies?: readonly { readonly payload: string; readonly title: string }[]
  readonly interactive?: Interactive
  readonly media?: Media
  readonly refused?: { readonly status: number; readonly code: string | null; readonly message: string }
  readonly number?: string
  readonly call?: string
}

export interface Template {
  readonly name: string
  readonly language: string
  readonly components: readonly TemplateComponent[]
}

export interface TemplateComponent {
  readonly type: string
  readonly sub_type?: string
  readonly parameters?: readonly Readonly<Record<string, unknown>>[]
}

export interface Interactive {
  readonly type: string
  readonly body?: string
  readonly footer?: string
  readonly buttons?: readonly Option[]
  readonly button_text?: string
  readonly sections?: readonly { readonly title: string | null; readonly rows: readonly Option[] }[]
  readonly cta?: { readonly display_text: string; readonly url: string }
  /** Of a tap: what was tapped. */
  readonly id?: string
  readonly title?: string
}

export interface Option {
  readonly id: string
  readonly title: string
  readonly description?: string | null
}

export interface Media {
  readonly kind: string
  readonly url: string
  readonly caption?: string
  readonly filename?: string
}

export interface Customer {
  readonly customer: string
  readonly items: number
  readonly last: ThreadItem | null
  readonly windows: readonly { readonly number: string; readonly closesAt: string }[]
  readonly handset: Handset
}

export interface Handset {
  readonly online: boolean
  readonly receipts: boolean
  readonly blocked: boolean
}

export interface ShownCode {
  readonly messageId: string
  readonly code: string
  readonly text: string
}

export interface Subscription {
  readonly id: string
  readonly url: string
  readonly state: 'active' | 'disabled'
  readonly failures: number
}

export interface FaultRule {
  readonly on: 'send' | 'delivery'
  readonly do: string
  readonly [member: string]: unknown
}

export interface Faults {
  readonly rules: readonly FaultRule[]
  readonly recipients: readonly { readonly to: string; readonly does: string }[]
}

export interface Account {
  readonly plan: { readonly api: boolean; readonly contactLimit: number | null }
  readonly suspended: boolean
  readonly contacts: number
  readonly numbers: readonly ConnectedNumber[]
}

export interface ConnectedNumber {
  readonly id: string
  readonly display: string
  readonly connected: boolean
  readonly takeoverWindowMs: number | null
  readonly callbackOverride: boolean
  readonly tokenPreview: string
  /** Only in the answer to a change. */
  readonly accessToken?: string
}

export interface Agent {
  readonly on: boolean
  readonly answersFirst: boolean
  readonly answersAfterMs: number
  readonly says: string
  readonly handsOverOn: readonly string[]
  readonly paused: readonly { readonly number: string; readonly customer: string; readonly until: string }[]
}

export interface ListedTemplate {
  readonly id: string
  readonly name: string
  readonly language: string
  readonly category: string
  readonly status: string
  readonly sendable: boolean
  readonly unsendable_reason: string | null
  readonly components: readonly { readonly type: string; readonly text?: string }[]
}

export interface Behaviour {
  readonly id: string
  readonly label: 'spec' | 'assumed' | 'emulator'
  readonly rule: string
  readonly behaviour: string
  readonly switch?: Switch
}

export interface Switch {
  readonly name: string
  /** Those to choose from, or what is to be given, in words. */
  readonly values: readonly (string | number)[] | string
  readonly usual: unknown
  readonly current: unknown
}

export interface Clock {
  readonly now: string
  readonly offsetMs: number
}

export interface DeliveryChange {
  readonly id: string
  readonly event: string
  readonly customer: string | null
  readonly message: string | null
  readonly state: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly last?: { readonly tookMs: number; readonly status: number | null; readonly error?: string }
}

interface Base {
  readonly id: string
  readonly at: string
}

/** Something that happened, as the stream and the timeline tell it. */
export type Happening =
  | (Base & {
      readonly kind: 'api'
      readonly call: string
      readonly method: string
      readonly path: string
      readonly status: number
      readonly code: string | null
      readonly tookMs: number
      readonly customer: string | null
      readonly spoilt?: string
    })
  | (Base & {
      readonly kind: 'control'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly code?: string | null
      /** What was changed, where that is no secret. */
      readonly change?: Readonly<Record<string, unknown>>
    })
  | (Base & { readonly kind: 'thread'; readonly customer: string; readonly item: ThreadItem })
  | (Base & { readonly kind: 'handset'; readonly customer: string; readonly handset: Handset })
  | (Base & {
      readonly kind: 'window'
      readonly window: { readonly customer: string; readonly number: string; readonly closesAt: string }
    })
  /** `movedMs`: how far it was moved, below zero where it went back. */
  | (Base & { readonly kind: 'clock'; readonly clock: Clock; readonly movedMs: number })
  | (Base & {
      readonly kind: 'event'
      readonly event: {
        readonly id: string
        readonly event: string
        readonly customer: string | null
        readonly deliveryIds: readonly string[]
      }
    })
  | (Base & { readonly kind: 'delivery'; readonly delivery: DeliveryChange })
  | (Base & { readonly kind: 'subscription'; readonly subscription: Subscription })
  | (Base & {
      readonly kind: 'agent'
      readonly agent: {
        readonly number: string
        readonly customer: string
        readonly state: 'paused' | 'active'
        readonly pausedUntil: string | null
        /** Whether the number has an agent that is silenced. */
        readonly on: boolean
      }
    })
  | (Base & { readonly kind: 'resync' })

export interface Call {
  readonly id: string
  readonly at: string
  readonly tookMs: number
  readonly method: string
  readonly path: string
  readonly status: number
  readonly spoilt?: string
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string | null }
  readonly response: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
}

export interface Delivery extends Omit<DeliveryChange, 'attempts' | 'last'> {
  readonly at: string
  readonly subscription: string
  readonly attempts: readonly Attempt[]
  readonly signatures: readonly Signature[]
}

export interface Attempt {
  readonly at: string
  readonly tookMs: number
  readonly status: number | null
  readonly error?: string
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  readonly response: { readonly headers: Readonly<Record<string, string>>; readonly body: string } | null
}

export interface Signature {
  readonly timestamp: string
  readonly sent: string
  readonly expected: string
  readonly skewSeconds: number
}

export interface EventExample {
  readonly event: string
  readonly label: 'confirmed' | 'declared'
  readonly payload: object
}

export interface RememberedKey {
  readonly number: string
  readonly key: string
  readonly state: 'in_flight' | 'settled'
  /** Repeats that are still answered as in flight; null: until it is released. */
  readonly held?: number | null
}
