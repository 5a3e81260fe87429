import { beside, type ConnectedNumber } from '../service/account.ts'
import { messageOf, shownOf } from '../service/message.ts'
import type { State } from '../state.ts'
import { place } from './place.ts'
import { inCase } from './progress.ts'

/** A text of somebody other than the app: it stands in the thread told apart, and the app hears `message.sent`. */
export function replyAs(
  by: 'agent' | 'dashboard',
  state: State,
  number: ConnectedNumber,
  customer: string,
  text: string,
): string {
  const send = { to: customer, type: 'text' as const, text }
  const accepted = {
    id: state.ids.message(),
    upstreamId: state.ids.upstream(),
    status: inCase(state, 'sent'),
    at: state.clock.now(),
  }
  const source = by === 'agent' ? 'AI' : 'HUMAN'
  place(state, number, customer, {
    message: { ...messageOf(send, accepted, undefined), source },
    shown: { ...shownOf(send, accepted, undefined), by, ...beside(state.account, number) },
  })
  return accepted.id
}
