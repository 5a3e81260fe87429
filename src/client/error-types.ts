import { API_ERRORS, type ApiErrorCode, type ErrorRule } from '../contract/index.ts'
import { ApiError } from './api-error.ts'
import { keyHash } from './key.ts'

/** 400 `invalid_template`: not in that language, or in a state that is not sent. */
export class InvalidTemplateError extends ApiError {}
/** 400 `ambiguous_number`: the token is held by several numbers, see `phoneNumberIds`. */
export class AmbiguousNumberError extends ApiError {}
/** 401 `not_authenticated`: a missing, unknown or rotated-away token. */
export class NotAuthenticatedError extends ApiError {}
/** 402 `plan_feature_locked`: the team's plan lacks the API. */
export class PlanFeatureLockedError extends ApiError {}
/** 402 `plan_limit_reached`: this recipient would pass the plan's contact limit; others go on. */
export class PlanLimitReachedError extends ApiError {}
/** 403 `number_not_for_token`: the named number is not the token's. */
export class NumberNotForTokenError extends ApiError {}
/** 403 `account_suspended` */
export class AccountSuspendedError extends ApiError {}
/** 404: nothing of this API is there. */
export class NotFoundError extends ApiError {}
/** 409 `outside_messaging_window`: only a template is accepted now. */
export class OutsideMessagingWindowError extends ApiError {}
/** 409 `idempotency_in_progress`: the first send under this key still runs. */
export class IdempotencyInProgressError extends ApiError {}
/** 422 `idempotency_key_reused`: another body was accepted, or is in flight, under this key. */
export class IdempotencyKeyReusedError extends ApiError {}
/** 422 `invalid_one_time_code` */
export class InvalidOneTimeCodeError extends ApiError {}
/** 422 `template_not_found`: not on the number's account, or the upstream platform could not be asked. */
export class TemplateNotFoundError extends ApiError {}
/** 422 `validation_error`, or its other form, a `detail` array. */
export class ValidationError extends ApiError {}
/** 429: the chat platform limits this number. */
export class RateLimitedError extends ApiError {}
/** 502 `send_failed`: the chat platform refused the message. */
export class SendFailedError extends ApiError {}
/** 5xx except `send_failed`: a failure on the service's side, with unknown outcome. */
export class InternalError extends ApiError {}

const BY_CODE: Record<ApiErrorCode, typeof ApiError> = {
  invalid_template: InvalidTemplateError,
  ambiguous_number: AmbiguousNumberError,
  not_authenticated: NotAuthenticatedError,
  plan_feature_locked: PlanFeatureLockedError,
  plan_limit_reached: PlanLimitReachedError,
  number_not_for_token: NumberNotForTokenError,
  account_suspended: AccountSuspendedError,
  outside_messaging_window: OutsideMessagingWindowError,
  idempotency_in_progress: IdempotencyInProgressError,
  idempotency_key_reused: IdempotencyKeyReusedError,
  invalid_one_time_code: InvalidOneTimeCodeError,
  template_not_found: TemplateNotFoundError,
  validation_error: ValidationError,
  rate_limited: RateLimitedError,
  send_failed: SendFailedError,
  internal_error: InternalError,
}

/** The class of a refusal: by its code, or by its status if the code is unknown or absent (ERR-01). */
export function errorClassOf(status: number, code: string | undefined): typeof ApiError {
  if (code !== undefined && Object.hasOwn(BY_CODE, code)) return BY_CODE[code as ApiErrorCode]
  if (status === 401) return NotAuthenticatedError
  if (status === 404) return NotFoundError
  if (status === 429) return RateLimitedError
  return status >= 500 ? InternalError : ApiError
}

const REFUSED: ErrorRule = { status: 0, retry: 'no', outcome: 'not_sent' }

/** The error of a refusal that another process met, made from its record: the answer itself is not there. */
export function recordedRefusal(record: { code: string | undefined; reason: string; key: string }): ApiError {
  const { code, reason, key } = record
  const known = code !== undefined && Object.hasOwn(API_ERRORS, code)
  const rule = known ? API_ERRORS[code as ApiErrorCode] : REFUSED
  const status = known ? rule.status : undefined
  return new (errorClassOf(rule.status, code))({
    message: reason,
    status,
    code,
    rule,
    idempotencyKeyHash: keyHash(key),
  })
}
