import type { Phone, SentMessage } from '../phone/phones.ts'
import { numberWithId } from '../service/account.ts'
import type { State } from '../state.ts'
import { publishDeclared } from './publish.ts'

/** `message.sent`: the number sends a message, from any source. A one-time code is withheld (OTP-06). */
export function tellSent(state: State, phone: Phone, { message, number: id }: SentMessage): void {
  const number = numberWithId(state.account, id)
  if (number === undefined) return
  const { id: messageId, delivered_at: _d, read_at: _r, played_at: _p, failed_at: _f, ...record } = message
  const template = phone.thread.findLast((item) => item.id === messageId)?.template
  publishDeclared(
    state,
    { name: 'message.sent', customer: phone.customer, number, message: messageId },
    {
      message_id: messageId,
      to: phone.customer,
      ...Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined)),
      ...(template && { template_language: template.language, template_components: template.components }),
    },
  )
}
