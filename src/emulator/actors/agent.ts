import { type ConnectedNumber, numberMember, numberWithId } from '../model/account.ts'
import { AGENT_DELAY_MS, AGENT_SAYS } from '../model/agent.ts'
import type { Model } from '../model/model.ts'
import { acceptMessage } from '../model/progress.ts'
import { acceptance, messageOf, threadItemOf } from '../service/message.ts'

interface WrittenMessage {
  readonly number: ConnectedNumber
  readonly customer: string
  readonly text: string | undefined
}

/** Call this before the event of the message goes out. */
export function runAgentBeforeEvent(model: Model, { number, customer, text }: WrittenMessage): void {
  if (text?.trim().toUpperCase() === 'BOT') model.agent.resume(number, customer)
  if (model.agent.settings.answersFirst) answer(model, number, customer)
}

/** Call this after the event of the message has gone out. */
export function runAgentAfterEvent(model: Model, { number, customer }: WrittenMessage): void {
  const { on, answersFirst } = model.agent.settings
  if (!on || answersFirst || model.agent.isPaused(number, customer)) return
  model.schedule.later(AGENT_DELAY_MS, () => {
    const present = numberWithId(model.account, number.id)
    if (present) answer(model, present, customer)
  })
}

function answer(model: Model, number: ConnectedNumber, customer: string): void {
  if (model.agent.settings.on && !model.agent.isPaused(number, customer))
    replyAs('agent', model, number, customer, AGENT_SAYS)
}

/** Sends a text by an author other than the app. The thread names the author, and the app receives `message.sent`. */
export function replyAs(
  by: 'agent' | 'dashboard',
  model: Model,
  number: ConnectedNumber,
  customer: string,
  text: string,
): string {
  const send = { to: customer, type: 'text' as const, text }
  const accepted = acceptance(model)
  const source = by === 'agent' ? 'AI' : 'HUMAN'
  acceptMessage(model, number, customer, {
    message: { ...messageOf(send, accepted, undefined), source },
    shown: { ...threadItemOf(send, accepted, undefined), by, ...numberMember(model.account, number) },
  })
  return accepted.id
}
