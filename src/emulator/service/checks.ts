import { PHONE_NUMBER_ID } from '../../contract/index.ts'
import { carriesToken, type HttpRequest, Refusal } from '../http/messages.ts'
import type { Account, ConnectedNumber } from '../model/account.ts'
import { apiRefusal, notAuthenticated } from './refusals.ts'

/**
 * All checks of a send, in their order. The specification gives no order: if several errors apply at once, the first
 * one in this list is answered.
 */
export const CHECKS = [
  { name: 'token', rule: 'AUTH-01', asks: "Is the access token a number's own?" },
  { name: 'suspension', rule: 'AUTH-06', asks: 'Is the workspace free of suspension?' },
  { name: 'plan', rule: 'AUTH-04', asks: 'Does the plan grant the API?' },
  { name: 'number', rule: 'AUTH-05', asks: 'Is it clear which number is meant, and does the token hold it?' },
  { name: 'body', rule: 'SEND-23', asks: 'Is the body well formed and within the limits?' },
  { name: 'fault', rule: 'GEN-12', asks: 'Is no fault of the emulator armed for this send?' },
  { name: 'key', rule: 'IDEM-02', asks: 'Is the idempotency key new, or settled with the same body?' },
  { name: 'contact_limit', rule: 'SEND-20', asks: 'Is the customer known, or is there room for one more contact?' },
  { name: 'window', rule: 'GEN-04', asks: 'Is it a template, or did the customer write within 24 hours?' },
  { name: 'template', rule: 'SEND-15', asks: 'Does the template exist in that language, in a state that is sent?' },
  { name: 'parameters', rule: 'SEND-13', asks: 'Do the parameters, or the one-time code, fit the template?' },
  { name: 'upstream', rule: 'SEND-21', asks: 'Does the upstream platform take it: number connected, media reachable?' },
] as const

export type CheckName = (typeof CHECKS)[number]['name']

/** Called with each check before it is made, so that a caller can say which one failed. */
export type OnCheck = (check: CheckName) => unknown

export const ignoreCheck: OnCheck = () => {}

/** The number that a request speaks for; refuses a request that may not, alike on every endpoint (AUTH-01 to AUTH-06, SEND-19). */
export function admit(
  account: Account,
  headers: HttpRequest['headers'],
  onCheck: OnCheck = ignoreCheck,
): ConnectedNumber {
  onCheck('token')
  const held = account.numbers.filter((number) => carriesToken(headers.authorization, number.token))
  if (held.length === 0) throw notAuthenticated()
  onCheck('suspension')
  if (account.suspended) throw apiRefusal('account_suspended', 'The workspace is suspended.')
  onCheck('plan')
  if (!account.plan.api) throw apiRefusal('plan_feature_locked', "The team's plan does not grant API access.")
  onCheck('number')
  // An empty header names no number (GEN-16).
  return chooseNumber(held, headers[PHONE_NUMBER_ID.toLowerCase()] || undefined)
}

function chooseNumber(held: readonly ConnectedNumber[], id: string | string[] | undefined): ConnectedNumber {
  const [first, ...more] = held
  const wanted = id === undefined && more.length === 0 ? first : held.find((number) => number.id === id)
  if (wanted !== undefined) return wanted
  if (id !== undefined) throw apiRefusal('number_not_for_token', `The token does not hold the number ${String(id)}.`)
  const { status, body } = apiRefusal(
    'ambiguous_number',
    `The token is held by ${held.length} numbers: name one in ${PHONE_NUMBER_ID}.`,
  )
  throw new Refusal(status, { ...body, phone_number_ids: held.map((number) => number.id) })
}
