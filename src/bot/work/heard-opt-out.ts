import { optOutIn } from '../inbox/read-delivery.ts'
import type { Message, MessageContext, Env } from '../routes/context.ts'
import type { Content } from '../../service/content.ts'
import { checkConfirmed, runEffect } from './attempt-effects.ts'
import type { RunningAttempt } from './attempt-types.ts'
import { withinScope } from './middleware.ts'

const ROUTE = 'optOuts'

/**
 * Confirms an opt-out or opt-in, which has counted since its message was read. Returns the other messages of a bundle,
 * which are handled afterwards.
 */
export async function confirmOptOut(
  messages: readonly Message[],
  running: RunningAttempt,
  contextFor: (
    messages: readonly Message[],
    running: RunningAttempt,
  ) => Promise<(route: string) => MessageContext<Env>>,
): Promise<readonly Message[]> {
  const { optOuts } = running.deps.routes
  const saying = optOuts ? messages.filter((message) => optOuts.says(message) !== undefined) : []
  const last = saying.at(-1)
  if (!optOuts || !last || (last.tapped && (await isTakenByQuestion(last, running)))) return messages
  const { item, deps, facts, fence } = running
  const { number, customer } = item
  checkConfirmed(running)
  if (customer === undefined) return messages
  running.route ??= ROUTE
  const { tapped, at } = last
  const receivedAt = item.delivery.receivedAt + item.delivery.clockOffset
  const values = { at: at.getTime(), ...(tapped && { tapped }) }
  const said = optOutIn({ ...facts, values }, receivedAt, { says: () => optOuts.says(last), anyNumber: true })
  if (said && (await runEffect(running, () => deps.customers.heardOptOut({ number, customer }, said, fence)))) {
    const context = (await contextFor(messages, running))(ROUTE)
    const told = optOuts.told[said.says]
    await withinScope(running, { id: ROUTE, boundaries: deps.routes.boundaries }, async () => {
      const content = typeof told === 'function' ? ((await told(context)) as Content) : (told as Content)
      await context.reply(content)
    })
    await running.effects.ended()
  }
  return messages.filter((message) => !saying.includes(message))
}

async function isTakenByQuestion(message: Message, running: RunningAttempt): Promise<boolean> {
  const { entered } = running.deps
  const open = await entered?.asking(running)
  return open !== undefined && (await entered?.isAnswer(open, message, running)) === true
}
