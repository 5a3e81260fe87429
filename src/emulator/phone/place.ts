import type { MessageOut } from '../../contract/index.ts'
import type { ConnectedNumber } from '../service/account.ts'
import type { State } from '../state.ts'
import { arrivesAtOnce, beginProgress } from './progress.ts'
import type { ShownCode, ThreadItem } from './thread.ts'

/** A message that the upstream platform took. */
export interface Placed {
  readonly message: MessageOut
  readonly shown: ThreadItem
  /** Its one-time code, for the handset alone (OTP-06). */
  readonly code?: { readonly shown: ShownCode; readonly lifeMs: number } | undefined
}

/** Puts a message into the customer's thread, and lets it make its way to the handset. */
export function place(state: State, number: ConnectedNumber, customer: string, { message, shown, code }: Placed): void {
  const phone = state.phones.of(customer)
  const sent = { number: number.id, message, waiting: false }
  phone.sent.set(message.id, sent)
  if (code && arrivesAtOnce(phone)) phone.codes.push(code.shown)
  else if (code) phone.codesUnderWay.set(message.id, code.shown)
  state.account.contacts.add(customer)
  state.phones.show(customer, shown)
  beginProgress(state, phone, sent, code?.lifeMs)
}
