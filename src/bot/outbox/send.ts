import { knownToAllBuilds } from '../../base/shared.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { STATUS_ORDER } from '../../service/delivery.ts'
import type { SendWithStatuses } from '../../store/outbox/statuses.ts'
import type { SendRow } from '../../store/database/outbox-tables.ts'

/** The statuses that the service reports of a message. Unknown values are kept. */
export type Status = 'sent' | 'delivered' | 'read' | 'played' | 'failed' | (string & {})

/**
 * A message in the outbox. An accepted message may still be on its way: `status` is undefined until the first status
 * arrives.
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
  /** All messages of a text that was split, in order. */
  readonly parts?: readonly Send[]
}

/**
 * The result of a send. `replayed`: an earlier attempt or run had already sent it. `diverged`: a rerun produced another
 * text, and the recorded one is used. `stored`: neither accepted nor refused yet; the outbox continues. `moved`: it has
 * another time now; false if it could not be moved, because it has begun, has ended, or is held after a restore.
 */
export type SendResult =
  | {
      readonly via: 'freeform' | 'template'
      readonly send: Send
      readonly replayed: boolean
      readonly diverged: boolean
    }
  | { readonly via: 'stored'; readonly send: Send; readonly moved?: boolean }
  | { readonly via: 'skipped'; readonly why: 'taken_over' | 'stale' | 'opted_out' }

/** The 24-hour window is closed, and there is no template. The send goes out when you repeat it with `outsideWindow`. */
export class OutsideWindow extends SwitchhookError {
  constructor(options?: { cause?: unknown }) {
    super(
      'outside_window',
      'the 24-hour window of this customer is closed, and only a template may be sent: pass one as { outsideWindow: template(…) }',
      options,
    )
    this.name = 'OutsideWindow'
  }
}
knownToAllBuilds(OutsideWindow)

/** The customer or a colleague has written since the person read the chat. Nothing was recorded. */
export class Unseen extends Error {}

/** This attempt has ended (deadline, lost lease or stop). Its further calls have no effect. */
export class AttemptOver extends SwitchhookError {
  constructor(why = 'its item was freed, or its customer was forgotten') {
    super(
      'attempt_over',
      `this attempt is not active any more (${why}), so this call had no effect. If it was cut off, another attempt continues the work. In a handler, await everything before you return`,
    )
    this.name = 'AttemptOver'
  }
}
knownToAllBuilds(AttemptOver)

/** Makes the public form of a send. */
export function asSend({ row, statuses = [], parts }: SendWithStatuses): Send {
  return {
    id: row.id,
    key: row.via === 'template' && row.fallback ? row.fallback.key : row.key,
    ref: row.ref,
    customer: row.customer,
    number: row.number,
    state: row.state,
    status: highest(statuses.map(({ status }) => status)),
    failureReason: statuses.find(({ status }) => status === 'failed')?.reason,
    messageId: row.messageId,
    upstreamId: row.upstreamId,
    possiblyTwice: row.possiblyTwice,
    ...(parts && { parts: parts.map(asSend) }),
  }
}

/** `failed` counts only if no status above `sent` is known (EVT-04). */
export function highest(statuses: readonly string[]): Status | undefined {
  const reached = STATUS_ORDER.findLast((status) => statuses.includes(status))
  const failed = statuses.includes('failed')
  if (failed && (reached === undefined || reached === 'sent')) return 'failed'
  return reached ?? statuses.at(-1)
}
