import type { SendFaultRule } from './rule.ts'

/** How an accepted message fares on the way to a handset. */
export type Fate = 'delivered' | 'undelivered' | 'failed'

/** A recipient to whom the same always happens, for runs that nobody attends. */
export interface MagicRecipient {
  readonly to: string
  readonly does: string
  readonly rule?: SendFaultRule
  readonly fate?: Fate
}

/** +999 is given to no country, so that no real number begins like this. */
const PREFIX = '999000000'

const status = (code: NonNullable<SendFaultRule['code']>, more: object = {}): SendFaultRule => ({
  on: 'send',
  do: 'status',
  code,
  ...more,
})

const RECIPIENTS: readonly (readonly [string, string, SendFaultRule | Fate])[] = [
  ['402', '402 plan_limit_reached', status('plan_limit_reached')],
  ['408', 'never an answer, nothing sent', { on: 'send', do: 'time_out' }],
  ['409', '409 outside_messaging_window, for all but templates', status('outside_messaging_window')],
  ['429', '429 rate_limited', status('rate_limited')],
  ['444', 'the connection is cut before acceptance', { on: 'send', do: 'cut_before' }],
  ['445', 'accepted, and the answer is lost each time', { on: 'send', do: 'lose_answer' }],
  ['500', '500 internal_error', status('internal_error')],
  ['502', '502 send_failed', status('send_failed')],
  ['503', '503 internal_error', { on: 'send', do: 'status', status: 503 }],
  ['601', 'accepted, and never delivered: the status stays sent', 'undelivered'],
  ['602', 'accepted, then the status failed with a reason', 'failed'],
]

export const MAGIC_RECIPIENTS: ReadonlyMap<string, MagicRecipient> = new Map(
  RECIPIENTS.map(([digits, does, what]) => {
    const to = PREFIX + digits
    return [to, { to, does, ...(typeof what === 'string' ? { fate: what } : { rule: what }) }]
  }),
)
