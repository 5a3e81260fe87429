/** The API client: one transport, retries by the contract's table, typed errors. */
export { type Client, createClient } from './client.ts'
export type { AttemptReport, ClientOptions, Limits } from './options.ts'
export type { Raw } from './raw.ts'
export type { TokenSource } from './token.ts'
export type { Accepted, SendOptions } from './messages.ts'
export type { AttemptAccepted, SendAttempt } from './attempt.ts'
export type { IterateOptions, ListOptions, Page, ReadOptions, TemplateRow } from './templates.ts'
export { dateOf } from './date.ts'
export { keyFrom } from './key.ts'
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
