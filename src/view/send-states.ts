import type { Resolution } from '../store/outbox/send-resolutions.ts'
import type { ClosedThrottle } from '../store/outbox/send-rules.ts'
import type { SendRow } from '../store/database/outbox-tables.ts'

/** How to fix a stopped number, by the code of the answer that stopped it. */
export const REMEDIES: Readonly<Record<string, string>> = {
  not_authenticated: 'the token is no longer valid: set the new one; sending then continues automatically',
  no_access_token: 'the app has no token for this number: set one; sending then continues automatically',
  plan_feature_locked:
    'the plan of the account does not include this: change the plan; sending then continues automatically',
  account_suspended: 'the account is suspended: contact the service; sending then continues automatically',
  number_not_for_token:
    'the token does not belong to this number: set the token of this number or the right id; sending then continues automatically',
  ambiguous_number:
    'the token has several numbers: set one of them (SWITCHHOOK_PHONE_NUMBER_ID or phoneNumberId), and restart the app',
}

export function remedyFor({ stopped, code }: ClosedThrottle): string {
  if (!stopped) return 'do nothing: the service requested a pause or has trouble, and sending continues automatically'
  const known = code === undefined ? undefined : REMEDIES[code]
  return (
    known ??
    'fix the problem that the answer names; sending then continues automatically, or immediately with `switchhook outbox resume`'
  )
}

export function reasonFor(send: SendRow, throttle: ClosedThrottle | undefined): string {
  switch (send.state) {
    case 'scheduled':
      return 'its time is in the future'
    case 'ready':
      return 'it waits for its turn; the app sends it while it runs'
    case 'attempting':
      return 'an attempt is under way, or its answer was lost; the app repeats it for ten minutes under the same key'
    case 'held':
      return heldReason(send, throttle)
    case 'accepted':
      return 'the service accepted it; statuses report its delivery'
    case 'refused':
      return 'the service refused it, so nothing arrived; fix the cause, then send it again'
    case 'unknown':
      return 'no answer arrived, so it may be on the phone or not: check the phone, then resolve it'
    case 'skipped':
      return 'it was not sent; its reason is above'
    case 'cancelled':
      return 'the app cancelled it before it was sent'
    case 'dropped':
      return 'a person settled it for good; it is never sent'
    case 'lost_code':
      return 'its one-time code was in the memory of a process that ended: the app issues a new one'
  }
}

function heldReason({ code, number }: SendRow, throttle: ClosedThrottle | undefined): string {
  if (code === 'restored')
    return 'the database was restored from a backup, and this may have been sent after that: compare, then resolve it, or release all with `switchhook outbox resume`'
  if (code === 'earlier_part')
    return 'an earlier part of its message is unknown: check the phone, then resolve that part, and this one follows'
  return `the queue of ${number} is stopped: ${throttle ? remedyFor(throttle) : 'it is about to continue'}`
}

export function commandsFor(id: string, possible: readonly Resolution[]): string {
  if (possible.length === 0) return 'nothing'
  return `switchhook outbox resolve ${id} ${possible.map((one) => `--${one}`).join(' | ')}`
}
