import type { HttpRequest } from '../http/messages.ts'
import { PHONE_NUMBER_ID } from '../../contract/index.ts'
import { carriesToken } from '../http/token.ts'
import { Refusal } from '../http/messages.ts'
import type { Account, ConnectedNumber } from './account.ts'
import { type Step, untold } from './checks.ts'
import { apiRefusal, notAuthenticated } from './refusals.ts'

/** The number that a request speaks for, or why it may not: the same on every endpoint (AUTH-01 to AUTH-06, SEND-19). */
export function admitted(account: Account, headers: HttpRequest['headers'], step: Step = untold): ConnectedNumber {
  step('token')
  const held = account.numbers.filter((number) => carriesToken(headers.authorization, number.token))
  if (held.length === 0) throw notAuthenticated()
  step('suspension')
  if (account.suspended) throw apiRefusal('account_suspended', 'The workspace is suspended.')
  step('plan')
  if (!account.plan.api) throw apiRefusal('plan_feature_locked', "The team's plan does not grant API access.")
  step('number')
  return named(held, headers[PHONE_NUMBER_ID.toLowerCase()])
}

function named(held: readonly ConnectedNumber[], id: string | string[] | undefined): ConnectedNumber {
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
