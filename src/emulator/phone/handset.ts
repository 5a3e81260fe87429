import type { State } from '../state.ts'
import type { Phone } from './phones.ts'
import { arrive, statusOf } from './progress.ts'
import type { Handset } from './saved.ts'

/** Changes what is given. What waited is delivered when the handset is back, oldest first. */
export function changeHandset(state: State, phone: Phone, change: Partial<Handset>): Handset {
  Object.assign(phone.handset, change)
  state.phones.changed(phone.customer)
  state.tell('handset', { customer: phone.customer, handset: { ...phone.handset } })
  if (phone.handset.online)
    for (const sent of phone.sent.values())
      if (sent.waiting && statusOf(phone, sent) === 'sent') arrive(state, phone, sent)
  return { ...phone.handset }
}
