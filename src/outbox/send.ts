import { STATUS_ORDER } from '../contract/index.ts'
import type { SendRow, Store } from '../stores/port/index.ts'

/** Open-ended: unknown values are kept, not dropped. */
export type Status = 'sent' | 'delivered' | 'read' | 'played' | 'failed' | (string & {})

/**
 * A row of the outbox: what is to go out, why, and how far it came. `ref` is the app's own. Accepted is not yet
 * sent: `status` is undefined until one arrives.
 */
export interface Send {
  readonly id: string
  readonly key: string
  readonly ref: string | undefined
  readonly customer: string
  readonly number: string
  readonly state: SendRow['state']
  readonly status: Status | undefined
  readonly failureReason: string | undefined
  readonly messageId: string | undefined
  readonly upstreamId: string | undefined
  readonly possiblyTwice: boolean
}

/**
 * `replayed`: an earlier attempt or run had sent it already. `diverged`: a rerun asked for another text, and the
 * recorded one stands. `stored`: neither accepted nor refused yet; the outbox goes on. `skipped`: not sent, since the
 * customer typed BOT, a person took over, it came too late, or the customer said STOP to a sender that heeds it.
 */
export type SendResult =
  | {
      readonly via: 'freeform' | 'template'
      readonly send: Send
      readonly replayed: boolean
      readonly diverged: boolean
    }
  | { readonly via: 'stored'; readonly send: Send }
  | { readonly via: 'skipped'; readonly why: 'agent' | 'handed_over' | 'stale' | 'stopped' }

/** A row with the statuses that name it. */
export async function sendOf(store: Store, row: SendRow): Promise<Send> {
  return asSend(row, await store.statusesOf(row))
}

type Told = readonly { readonly status: string; readonly reason: string | undefined }[]

export function asSend(row: SendRow, told: Told = []): Send {
  return {
    id: row.id,
    key: row.via === 'template' && row.fallback ? row.fallback.key : row.key,
    ref: row.ref,
    customer: row.customer,
    number: row.number,
    state: row.state,
    status: highest(told.map(({ status }) => status)),
    failureReason: told.find(({ status }) => status === 'failed')?.reason,
    messageId: row.messageId,
    upstreamId: row.upstreamId,
    possiblyTwice: row.possiblyTwice,
  }
}

/** Shown is the highest, whatever the order of arrival; `failed` only where nothing above `sent` is known (EVT-04). */
export function highest(statuses: readonly string[]): Status | undefined {
  const reached = STATUS_ORDER.findLast((status) => statuses.includes(status))
  const failed = statuses.includes('failed')
  if (failed && (reached === undefined || reached === 'sent')) return 'failed'
  return reached ?? statuses.at(-1)
}
