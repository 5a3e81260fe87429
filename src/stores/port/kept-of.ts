/** All that is kept of a customer besides deliveries and sends, on all numbers. Times of the service; values are JSON. */
export interface KeptOf {
  readonly sessions: readonly { readonly number: string; readonly value: string; readonly expiresAt: number | null }[]
  readonly windows: readonly {
    readonly number: string
    readonly lastInboundAt: number
    readonly lastSentAt: number | null
  }[]
  readonly mutes: readonly {
    readonly number: string
    readonly why: string
    readonly since: number
    readonly until: number
  }[]
  readonly conversations: readonly ConversationRecord[]
  readonly timers: readonly {
    readonly number: string
    readonly kind: string
    readonly name: string
    readonly dueAt: number
    readonly says: string
  }[]
  /** Results that `once` has kept, by delivery. */
  readonly once: readonly { readonly seq: number; readonly name: string; readonly result: string }[]
}

export interface ConversationRecord {
  readonly id: string
  readonly number: string
  readonly name: string
  readonly version: number
  readonly state: string
  readonly input: string | null
  readonly ended: string | null
  readonly openedAt: number
  readonly endedAt: number | null
  readonly steps: readonly { readonly kind: string; readonly name: string; readonly result: string | null }[]
}
