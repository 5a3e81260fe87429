/** The API client: one transport, retries by the contract's table, typed errors. */
export { type Client, createClient } from './client.ts'
export type { ClientOptions, Limits } from './options.ts'
export type { AttemptReport } from './call.ts'
export type { Raw } from './redact.ts'
export type { TokenSource } from './token.ts'
export type { Accepted, AttemptAccepted, SendAttempt, SendOptions } from './send.ts'
export type { IterateOptions, ListOptions, Page, ReadOptions, TemplateRow } from './templates.ts'
export { dateOf, statusOf } from './fields.ts'
export { keyFrom } from './key.ts'
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
