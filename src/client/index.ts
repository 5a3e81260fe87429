/** The API client: one transport, retries by the contract's table, typed errors. */
export { type Client, createClient } from './client.ts'
export type { ClientOptions } from './settings.ts'
export type { TokenSource } from './token.ts'
export type { Accepted, SendOptions } from './messages.ts'
export type { AttemptAccepted, SendAttempt } from './attempt.ts'
export type { IterateOptions, ListOptions, ReadOptions, TemplateRow } from './templates.ts'
export { statusOf } from './status.ts'
export { ApiError, NoAnswerError } from './api-error.ts'
export {
  AccountSuspendedError,
  AmbiguousNumberError,
  IdempotencyInProgressError,
  IdempotencyKeyReusedError,
  InternalError,
  InvalidOneTimeCodeError,
  InvalidTemplateError,
  NotAuthenticatedError,
  NotFoundError,
  NumberNotForTokenError,
  OutsideMessagingWindowError,
  PlanFeatureLockedError,
  PlanLimitReachedError,
  RateLimitedError,
  SendFailedError,
  TemplateNotFoundError,
  ValidationError,
} from './error-types.ts'
