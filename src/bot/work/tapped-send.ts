import { isOption, wiredKey } from '../../service/tap-id.ts'
import { sendOf } from '../outbox/send.ts'
import type { MessageContext, Env } from '../routes/context.ts'
import type { RunningAttempt } from './attempt-types.ts'
import { withinScope } from './middleware.ts'

/**
 * Finds the send of a tapped option, if the option's id names it. The facts get the app's own id, and the attempt gets
 * the send.
 */
export async function resolveTap(running: RunningAttempt): Promise<void> {
  const { item, facts, deps } = running
  const { tapped } = facts.values
  const key = tapped && wiredKey(tapped.id)
  if (!tapped || key === undefined) return
  const row = await deps.store.findSend({ key })
  const id = row?.options?.ids.find((own) => isOption(tapped.id, own))
  // Ignore a copied id of another customer.
  if (!row || id === undefined || row.number !== item.number || row.customer !== item.customer) return
  running.tap = { row, send: await sendOf(deps.store, row) }
  running.facts = { ...facts, values: { ...facts.values, tapped: { ...tapped, id } } }
}

/**
 * Tells whether another tap of the same message has been handled. Then this tap runs the message's `onUsed`, or
 * nothing.
 */
export async function isUsedTap(
  running: RunningAttempt,
  contextFor: () => Promise<(route: string) => MessageContext<Env>>,
): Promise<boolean> {
  const { tap, item, deps } = running
  if (tap?.row.options?.once !== true || (await deps.store.useOption(tap.row.id, item.cause))) return false
  const onUsed = deps.onUsed(tap.row.key)
  if (!onUsed) return true
  running.route ??= ROUTE
  const context = (await contextFor())(ROUTE)
  await withinScope(running, { id: ROUTE, boundaries: deps.routes.boundaries }, async () => onUsed(context))
  await running.effects.ended()
  return true
}

const ROUTE = 'onUsed'
