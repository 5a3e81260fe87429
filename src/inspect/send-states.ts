import type { ClosedThrottle, Resolution, SendRow } from '../stores/port/index.ts'

/** The mend for a stopped queue, by the code of the answer that stopped it. */
export const REMEDIES: Readonly<Record<string, string>> = {
  not_authenticated: 'the token is not valid any more: bring the new one; it goes on by itself',
  no_access_token: 'the app has no token for this number: give it one; it goes on by itself',
  plan_feature_locked: 'the plan of the account does not include this: change the plan; it goes on by itself',
  account_suspended: 'the account is suspended: settle that with the service; it goes on by itself',
  number_not_for_token:
    'the token does not belong to this number: give the number its own token or the right id; it goes on by itself',
  ambiguous_number:
    'the token has several numbers: say which one is meant (SWITCHHOOK_PHONE_NUMBER_ID or phoneNumberId), and start the app anew',
}

/** One sentence on what to do about a closed queue. */
export function remedyFor({ stopped, code }: ClosedThrottle): string {
  if (!stopped) return 'nothing is to be done: the service asked for a pause or has trouble, and it goes on by itself'
  const known = code === undefined ? undefined : REMEDIES[code]
  return known ?? 'mend what the answer says; it goes on by itself, or at once with `switchhook outbox resume`'
}

export function reasonFor(send: SendRow, queue: ClosedThrottle | undefined): string {
  switch (send.state) {
    case 'scheduled':
      return 'its time has not come yet'
    case 'ready':
      return 'it goes out in its turn, once the app runs'
    case 'attempting':
      return 'an attempt is under way, or its answer was lost; the app repeats it for ten minutes under the same key'
    case 'held':
      return heldReason(send, queue)
    case 'accepted':
      return 'the service took it; statuses tell the rest'
    case 'refused':
      return 'the service refused it, so nothing arrived; it can go out again once that is mended'
    case 'unknown':
      return 'no answer came, so it may be on the phone or not: look there, then say which'
    case 'skipped':
      return 'it was not sent, and its reason is above'
    case 'cancelled':
      return 'the app took it back before it was sent'
    case 'dropped':
      return 'a person settled it for good; no rerun sends it'
    case 'lost_code':
      return 'a one-time code that was in the memory of a process that is gone: the app issues a new one'
  }
}

function heldReason({ code, number }: SendRow, queue: ClosedThrottle | undefined): string {
  if (code === 'restored')
    return 'the database was brought back from a backup, and this may have gone out since: compare, then say which, or let all go with `switchhook outbox resume`'
  return `the queue of ${number} is stopped: ${queue ? remedyFor(queue) : 'it is about to go on'}`
}

export function commandsFor(id: string, possible: readonly Resolution[]): string {
  if (possible.length === 0) return 'nothing'
  return `switchhook outbox resolve ${id} ${possible.map((one) => `--${one}`).join(' | ')}`
}
