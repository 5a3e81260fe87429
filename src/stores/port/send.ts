/**
 * The states of a send:
 *
 * `ready` → `attempting` (its key and bytes are stored; a byte may have left) → `accepted` | `refused` |
 * `unknown` (ten minutes of repeats brought no answer); `held` (the number's queue is stopped).
 *
 * A row found `attempting` by who did not begin that attempt is a send whose outcome is unknown: it is
 * repeated with the same bytes and key, and only a 200 settles it.
 */
export type SendState = 'ready' | 'attempting' | 'accepted' | 'refused' | 'unknown' | 'held'

export type Via = 'freeform' | 'template'

export interface NewSend {
  readonly id: string
  readonly key: string
  readonly number: string
  readonly customer: string
  readonly lane: string
  readonly cause: string
  readonly slot: string
  readonly ref: string | undefined
  /** The exact bytes that go out, and whether they are a template's. */
  readonly body: string
  readonly via: Via
  readonly fallback: { readonly key: string; readonly body: string } | undefined
  /** Wall time. */
  readonly createdAt: number
}

export interface SendRow extends NewSend {
  readonly state: SendState
  readonly attempts: number
  readonly firstAttemptAt: number | undefined
  readonly attemptingSince: number | undefined
  readonly nextAt: number
  readonly messageId: string | undefined
  readonly upstreamId: string | undefined
  /** The error's code where it was refused, held or is unknown. */
  readonly code: string | undefined
  readonly reason: string | undefined
  readonly possiblyTwice: boolean
  readonly diverged: boolean
  readonly settledAt: number | undefined
}

/** What `open` found: a send of its own, or an earlier one under the same key. */
export interface OpenedSend {
  readonly send: SendRow
  /** `new`: stored now. `reopened`: refused before, and its body replaced. `known`: recorded before. */
  readonly found: 'new' | 'reopened' | 'known'
  /** Whether a known send's bytes differ from those asked for now. */
  readonly diverged: boolean
}

/** What is needed to decide how a send goes out. */
export interface DueSend {
  readonly send: SendRow
  /** Service time of the customer's last message, where it is known and trusted. */
  readonly lastInboundAt: number | undefined
  /** Whether deliveries wait unread, so that the window may have moved without our knowing. */
  readonly unread: boolean
}

export type SendSettlement =
  | {
      readonly as: 'accepted'
      readonly messageId: string
      readonly upstreamId: string | undefined
      readonly possiblyTwice: boolean
    }
  | { readonly as: 'refused' | 'unknown'; readonly code: string | undefined; readonly reason: string }
  /** Tried again later: `ready` where it is certain that nothing was sent, `attempting` where it is not. */
  | {
      readonly as: 'ready' | 'attempting' | 'held'
      /** Wall time. */
      readonly at: number
      readonly code: string | undefined
      readonly reason: string
    }
  /** The free-form was refused by the window: the template takes over, under its own key. */
  | { readonly as: 'fall_back' }
