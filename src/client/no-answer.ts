import { reasonOf } from '../base/errors.ts'
import { ApiError, NoAnswerError } from './api-error.ts'
import { type Call, nameOf } from './call.ts'
import { keyHash } from './key.ts'
import { oneLine } from './one-line.ts'
import type { Raw } from './raw.ts'

interface Silence {
  readonly call: Call
  readonly timeout: number
  readonly error: unknown
  readonly scrub: (text: string) => string
  readonly cut: 'timeout' | 'aborted' | undefined
  /** Whether the request was handed to fetch. */
  readonly left: boolean
}

/** An attempt that brought no answer. The want of a token goes on as it is. */
export function noAnswer({ call, timeout, error, scrub, cut, left }: Silence): Error {
  if (error instanceof ApiError) return error
  const notSent = !left || (cut === undefined && neverLeft(error))
  const reason = cut ?? 'connection'
  const cause = cut === undefined ? causeOf(error, scrub) : undefined
  const what = {
    timeout: `had no answer within ${Math.round(timeout)} ms`,
    aborted: "was ended by the caller's signal",
    connection: `got no answer: ${cause?.message}`,
  }[reason]
  return silence(call, { reason, notSent, what, cause, retry: cut === 'aborted' ? 'no' : 'backoff' })
}

interface Told {
  readonly reason: NoAnswerError['reason']
  readonly notSent: boolean
  readonly what: string
  readonly retry: 'no' | 'backoff'
  readonly status?: number
  readonly raw?: () => Raw
  readonly cause?: unknown
}

export function silence(call: Call, { reason, notSent, what, retry, status, raw, cause }: Told): ApiError {
  const known = notSent || call.method === 'GET'
  const meaning = notSent
    ? 'nothing was sent'
    : 'the message may have been accepted: only the identical request under the identical key can tell'
  return new NoAnswerError({
    message: `${nameOf(call)} ${what}${call.method === 'GET' ? '' : `; ${meaning}`}`,
    status,
    code: undefined,
    rule: { status: status ?? 0, retry, outcome: known ? 'not_sent' : 'unknown' },
    reason,
    idempotencyKeyHash: keyHash(call.idempotencyKey),
    ...(raw && { raw }),
    cause,
  })
}

// A certificate is judged before the request goes out: whatever is wrong with it, nothing was sent.
const BEFORE_A_CONNECTION = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** Whether it failed before there was a connection that a request could have gone out on. */
function neverLeft(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 5) return false
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every((one) => neverLeft(one, depth + 1))
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true
  if (code !== undefined && BEFORE_A_CONNECTION.has(code)) return true
  return neverLeft(error.cause, depth + 1)
}

/** The innermost reason, made anew: what threw may hold the request with its headers. */
function causeOf(error: unknown, scrub: (text: string) => string): Error {
  let innermost = error
  for (let depth = 0; depth < 5 && innermost instanceof Error && innermost.cause instanceof Error; depth++)
    innermost = innermost.cause
  const code = innermost instanceof Error ? (innermost as NodeJS.ErrnoException).code : undefined
  const cause = new Error(oneLine(scrub(reasonOf(innermost))) || (code ?? 'no reason given'))
  return code === undefined ? cause : Object.assign(cause, { code: scrub(code) })
}
