import { API_ERRORS, type ApiErrorCode, type ErrorRule } from '../contract/index.ts'
import type { ApiError } from './api-error.ts'
import { typeOf } from './error-types.ts'
import { keyHash } from './key.ts'

const REFUSED: ErrorRule = { status: 0, retry: 'no', outcome: 'not_sent' }

/** A refusal as its record tells it, where the answer went to another process: the same error without that answer. */
export function recordedRefusal(record: { code: string | undefined; reason: string; key: string }): ApiError {
  const { code, reason, key } = record
  const known = code !== undefined && Object.hasOwn(API_ERRORS, code)
  const rule = known ? API_ERRORS[code as ApiErrorCode] : REFUSED
  const status = known ? rule.status : undefined
  return new (typeOf(rule.status, code))({ message: reason, status, code, rule, idempotencyKeyHash: keyHash(key) })
}
