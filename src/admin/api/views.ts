export type { EventReport } from '../../inspect/payload-report.ts'

export interface DeliverySummary {
  readonly seq: number
  readonly id?: string | undefined
  readonly event?: string | undefined
  readonly receivedAt?: string | undefined
  readonly ageSeconds: number
  /** How many of its items are in each state; its own state if it has none. */
  readonly states: Readonly<Record<string, number>>
  /** It waits for ingest. */
  readonly unsorted?: boolean | undefined
  readonly repeats: number
  readonly resembles?: number | undefined
  readonly note?: string | undefined
  /** The bot's own word, and no delivery of the service. */
  readonly own: boolean
  /** `retry` would put it back. */
  readonly retryable: boolean
  readonly items: readonly ItemSummary[]
}

export interface ItemSummary {
  readonly idx: number
  readonly kind: string
  readonly number: string
  readonly customer?: string | undefined
  /** Names the customer of this number to this page, also while it is masked. */
  readonly handle?: string | undefined
  readonly state: string
  readonly attempts: number
  readonly behind?: number | undefined
  readonly retryAt?: string | undefined
  readonly reason?: string | undefined
}

export interface DeliveryView extends Omit<DeliverySummary, 'items'> {
  readonly subscription: string
  /** Unix seconds, as signed. */
  readonly timestamp: number
  readonly clockOffsetMs?: number | undefined
  readonly sha256?: string | undefined
  readonly resembledBy?: readonly number[] | undefined
  /** One sentence for each state that it is in. */
  readonly why: readonly string[]
  readonly items: readonly ItemView[]
  /** The sends of its handlers, in the order of recording. */
  readonly sent: readonly SendSummary[]
  /** The parsed body; absent once its bytes are gone. */
  readonly body?: unknown
}

export interface ItemView extends ItemSummary {
  readonly at?: string | undefined
  readonly createdAt?: string | undefined
  readonly settledAt?: string | undefined
  readonly facts?: object | undefined
  readonly cause?: string | undefined
  readonly identity?: string | undefined
  /** Handlers that do not run again, and names of `once`: how many, or which if revealed. */
  readonly finished?: number | readonly string[] | undefined
  readonly once?: number | readonly string[] | undefined
  /** The last attempt that failed: where, with the frames of its stack. */
  readonly failure?:
    | { readonly attempt: number; readonly route?: string | undefined; readonly frames: readonly string[] }
    | undefined
}

export interface SendSummary {
  readonly id: string
  readonly state: string
  readonly number: string
  readonly customer: string
  readonly handle: string
  readonly via: string
  readonly createdAt?: string | undefined
  readonly ageSeconds: number
  readonly dueAt?: string | undefined
  readonly attempts: number
  readonly code?: string | undefined
  readonly ref?: string | undefined
  readonly possiblyTwice: boolean
  /** The words that a person may say of it: `accepted`, `resend`, `drop`; `cancel` if it can be taken back. */
  readonly possible: readonly string[]
  readonly body?: unknown
}

export interface SendView extends SendSummary {
  readonly why: string
  readonly key: string
  readonly cause?: string | undefined
  readonly slot?: string | undefined
  /** The id of the delivery whose handler sent it. */
  readonly delivery?: string | undefined
  readonly firstAttemptAt?: string | undefined
  readonly attemptingSince?: string | undefined
  readonly nextAt?: string | undefined
  readonly expiresAt?: string | undefined
  readonly settledAt?: string | undefined
  readonly messageId?: string | undefined
  readonly upstreamId?: string | undefined
  readonly reason?: string | undefined
  readonly diverged: boolean
  readonly fallback?: { readonly key: string; readonly body: unknown } | undefined
  readonly codeWithheld: boolean
  readonly statuses: readonly {
    readonly status: string
    readonly at?: string | undefined
    readonly reason?: string | undefined
  }[]
}

export interface ConversationSummary {
  readonly id: string
  readonly number: string
  readonly customer: string
  readonly handle: string
  readonly name: string
  readonly version: number
  readonly openedAt?: string | undefined
  readonly steps: number
  readonly waits?:
    | { readonly for: 'answer' | 'time'; readonly since?: string | undefined; readonly until?: string | undefined }
    | undefined
}

export interface TimerSummary {
  readonly number: string
  readonly customer: string
  readonly handle: string
  readonly kind: string
  readonly dueAt?: string | undefined
}

export interface CustomerView {
  readonly number: string
  readonly customer: string
  readonly handle: string
  /** The bot is silent: somebody has the customer, or they asked for the agent. */
  readonly mute?:
    | { readonly why: string; readonly since?: string | undefined; readonly until?: string | undefined }
    | undefined
  /** Of the customer's last message: the window of 24 hours begins there. */
  readonly lastInboundAt?: string | undefined
  readonly lastSentAt?: string | undefined
  readonly hasSession: boolean
  readonly conversation?: ConversationSummary | undefined
  readonly timers: readonly TimerSummary[]
  /** The last that was said, the oldest first. */
  readonly thread: readonly Said[]
}

export interface Said {
  readonly by: 'customer' | 'bot'
  readonly at?: string | undefined
  readonly kind: string
  /** Masked: its length, such as `[12 characters]`. */
  readonly text?: string | undefined
}
