import { SwitchhookError } from '../base/errors.ts'
import type { SendIntent, SendResult } from '../outbox/index.ts'
import { recordFromHandler } from './run-effect.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'

/**
 * Records a message to the customer of the item: it is skipped while the bot is muted, and if it comes too late.
 *
 * @param reply `cause`: default, the item's.
 * @throws SwitchhookError `recipient_not_confirmed`
 */
export async function recordReply(
  running: RunningAttempt,
  deps: AttemptDeps,
  reply: Pick<SendIntent, 'content' | 'slot' | 'options'> & { readonly cause?: string },
): Promise<SendResult> {
  if (!mayBeAnswered(running, deps)) throw notConfirmed(deps)
  const { item } = running
  const staleAt = deps.staleAfterMs === undefined ? undefined : item.at + deps.staleAfterMs
  return recordFromHandler(running, deps, { to: item.customer ?? '', ...reply, reply: { staleAt } })
}

/** An item of the bot's own names its customer for certain. */
function mayBeAnswered({ item, facts: { sure, confirmed } }: RunningAttempt, deps: AttemptDeps): boolean {
  return item.kind !== 'message' || (deps.answersGuessed ? sure : confirmed).includes('customer')
}

function notConfirmed({ answersGuessed }: Pick<AttemptDeps, 'answersGuessed'>): SwitchhookError {
  const why = answersGuessed ? '' : ' (replies: locked answers only customers whose place is mapped or locked)'
  return new SwitchhookError(
    'recipient_not_confirmed',
    `the payload does not say for certain who wrote${why}, so nothing is sent: the delivery is parked, which is kept and not answered`,
  )
}
