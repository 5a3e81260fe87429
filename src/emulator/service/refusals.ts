import { API_ERRORS, type ApiErrorCode } from '../../contract/index.ts'
import { Refusal } from '../http/messages.ts'

/** One of the service's errors, with the status that its table gives it. */
export function apiRefusal(code: ApiErrorCode, message: string): Refusal {
  return new Refusal(API_ERRORS[code].status, { code, message })
}

/** The one kind of error that the service shows without a code. */
export function codelessRefusal(message: string): Refusal {
  return new Refusal(400, { message })
}

/** Missing and unknown tokens get this very same answer, so that tokens cannot be probed (AUTH-01). */
export function notAuthenticated(): Refusal {
  return apiRefusal('not_authenticated', 'The access token is missing or not valid.')
}
