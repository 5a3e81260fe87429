/** A verified delivery. Times are milliseconds; `timestamp` is the signed one, in seconds. */
export interface Delivery {
  readonly subscription: string
  readonly deliveryId: string
  readonly event: string
  readonly timestamp: number
  readonly digest: Uint8Array
  readonly body: Uint8Array
  readonly receivedAt: number
  readonly clockOffset: number
  readonly trace?: string | undefined
}

/** One message or event of a delivery. */
export interface NewItem {
  readonly kind: string
  readonly number: string
  readonly customer?: string | undefined
  readonly lane: string
  /** The payload's time. Within a lane the oldest is first. */
  readonly at: number
  readonly facts: string
  /** Only of messages. The binding tells the same message from another one under the same id. */
  readonly identity?: { readonly key: string; readonly binding: Uint8Array } | undefined
  readonly cause?: string | undefined
}

/** The right to act for one run of an item. `run` only rises, so no later run has the same fence. */
export interface Fence {
  readonly item: number
  readonly owner: number
  readonly run: number
  readonly lane: string
}

export interface Begun {
  readonly fence: Fence
  /** Runs that count, this one included. */
  readonly attempts: number
  /** A process died while it ran this item. */
  readonly wasRunning: boolean
  /** A later message of the customer was handled before. */
  readonly late: boolean
}

export type Stored =
  | { readonly as: 'stored'; readonly id: number; readonly mark?: Mark; readonly begun: readonly Begun[] }
  | { readonly as: 'duplicate' | 'suspected_replay'; readonly of: number }

export type Mark = 'conflict' | 'same_message' | 'identity_reused'

export type Outcome =
  | { readonly as: 'done' }
  | {
      readonly as: 'retry'
      readonly due: number
      readonly failure?: string
      /** Names of the handlers that need not run again. */
      readonly finished?: readonly string[]
    }
  | { readonly as: 'parked' | 'dead'; readonly failure?: string }
  /** An orderly stop: the attempt does not count. */
  | { readonly as: 'released' }

export interface Settled {
  /** False if the fence no longer stands: another process has the item, and nothing was written. */
  readonly held: boolean
  /** The lane's next item, begun in the same commit. */
  readonly next?: Begun
}
