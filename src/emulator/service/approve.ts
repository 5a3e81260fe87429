import { readsMember } from '../../contract/index.ts'
import type { State } from '../state.ts'
import type { ConnectedNumber } from './account.ts'
import type { Step } from './checks.ts'
import { mediaLinks, unreachable } from './media.ts'
import { apiRefusal } from './refusals.ts'
import { type FilledTemplate, fillSend } from './templates.ts'
import type { Send } from './validation.ts'
import { isWindowOpen, NEEDS_WINDOW } from './window.ts'

/** Everything that can refuse a well-formed send, in order; answers the template filled, where it is one. Changes nothing. */
export function approve(state: State, number: ConnectedNumber, send: Send, step: Step): FilledTemplate | undefined {
  const first = [checkContactLimit, checkWindow]
  for (const check of state.assumptions.checkedFirst === 'window' ? first.reverse() : first)
    check(state, number, send, step)
  const template = readsMember(send.type, 'template_name')
    ? fillSend(send, state.templates.of(number.id), state.assumptions, step)
    : undefined
  step('upstream')
  checkUpstream(state, number, send)
  return template
}

function checkContactLimit({ account }: State, _: ConnectedNumber, { to }: Send, step: Step): void {
  step('contact_limit')
  const { contactLimit } = account.plan
  if (contactLimit !== null && !account.contacts.has(to) && account.contacts.size >= contactLimit)
    throw apiRefusal('plan_limit_reached', `The plan's limit of ${contactLimit} contacts is reached.`)
}

/** A template is taken inside and outside the window (GEN-05). */
function checkWindow(state: State, number: ConnectedNumber, send: Send, step: Step): void {
  step('window')
  const lastInboundAt = state.phones.lastInboundAt(send.to, number.id)
  if (NEEDS_WINDOW[send.type] && !isWindowOpen(lastInboundAt, state.clock.now(), state.assumptions))
    throw apiRefusal(
      'outside_messaging_window',
      'The customer has not written within the last 24 hours; only a template can be sent.',
    )
}

function checkUpstream({ assumptions }: State, number: ConnectedNumber, send: Send): void {
  if (!number.connected) throw apiRefusal('send_failed', 'The number is not connected to the chat platform.')
  if (assumptions.privateMedia === 'accept') return
  const reason = mediaLinks(send)
    .map(unreachable)
    .find((found) => found !== undefined)
  if (reason !== undefined) throw apiRefusal('send_failed', `The chat platform refused the message: ${reason}`)
}
