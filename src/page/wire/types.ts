/** What the emulator's control API answers, in the emulator's own types: the compiler sees where the two part. */
import type { TemplateOut } from '../../contract/index.ts'
import type { FidelityView } from '../../emulator/control/assumptions.ts'
import type { ClockView } from '../../emulator/control/clock.ts'
import type { CustomerView } from '../../emulator/control/customers.ts'
import type { SubscriptionView } from '../../emulator/control/subscriptions.ts'
import type { AttemptOutcome, DeliveryView } from '../../emulator/deliver/delivery.ts'
import type { SignatureView } from '../../emulator/deliver/signatures.ts'
import type { FlattenedInteractive } from '../../emulator/phone/flattened.ts'
import type { Handset } from '../../emulator/phone/saved.ts'
import type { ThreadItem } from '../../emulator/phone/thread.ts'

export type { AccountView as Account, NumberView as ConnectedNumber } from '../../emulator/control/account.ts'
export type { AgentView as Agent } from '../../emulator/control/agent.ts'
export type { EventExample } from '../../emulator/control/events.ts'
export type { FaultsView as Faults } from '../../emulator/control/faults.ts'
export type { CallView as Call } from '../../emulator/calls/view.ts'
export type { AttemptView as Attempt } from '../../emulator/deliver/delivery.ts'
export type { FaultRule } from '../../emulator/faults/rule.ts'
export type {
  ShownCode,
  TappedOption,
  ThreadMedia as Media,
  ThreadTemplate as Template,
} from '../../emulator/phone/thread.ts'
export type { KeyView as RememberedKey } from '../../emulator/service/keys.ts'
export type { TemplateComponent } from '../../contract/index.ts'
export type {
  ClockView as Clock,
  CustomerView as Customer,
  FidelityView as Behaviour,
  FlattenedInteractive as Interactive,
  Handset,
  SignatureView as Signature,
  SubscriptionView as Subscription,
  ThreadItem,
}

/** The contract leaves components open: of these the page reads the texts. */
export type ListedTemplate = Pick<
  TemplateOut,
  'id' | 'name' | 'language' | 'category' | 'status' | 'sendable' | 'unsendable_reason'
> & { readonly components: readonly { readonly type: string; readonly text?: string }[] }

export type Switch = NonNullable<FidelityView['switch']>

/** One that is looked at: with what its signatures are made of, attempt by attempt. */
export type Delivery = DeliveryView & { readonly signatures: readonly SignatureView[] }

/** A delivery as the stream tells of it. */
export type DeliveryChange = Pick<DeliveryView, 'id' | 'event' | 'customer' | 'message' | 'state'> & {
  readonly attempts: number
  readonly last?: AttemptOutcome
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
      readonly window: { readonly customer: string } & CustomerView['windows'][number]
    })
  /** `movedMs`: how far it was moved, below zero where it went back. */
  | (Base & { readonly kind: 'clock'; readonly clock: ClockView; readonly movedMs: number })
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
  | (Base & { readonly kind: 'subscription'; readonly subscription: SubscriptionView })
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
