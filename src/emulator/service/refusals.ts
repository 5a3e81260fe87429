import { API_ERRORS, type ApiErrorCode } from '../../contract/index.ts'
import { Refusal } from '../http/messages.ts'

/** A refusal with one of the service's errors, with the status that the contract's table gives it. */
export function apiRefusal(code: ApiErrorCode, message: string): Refusal {
  return new Refusal(API_ERRORS[code].status, { code, message })
}

/** A refusal without a code: the one kind of error that the service shows like this. */
export function codelessRefusal(message: string): Refusal {
  return new Refusal(400, { message })
}

/** Missing and unknown tokens get this very same answer, so that tokens cannot be probed (AUTH-01). */
export function notAuthenticated(): Refusal {
  return apiRefusal('not_authenticated', 'The access token is missing or not valid.')
}
