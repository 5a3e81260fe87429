import { reasonOf } from '../base/errors.ts'
import { oneLine } from './answer.ts'
import { ApiError, NoAnswerError } from './api-error.ts'
import { type Call, nameOf } from './call.ts'
import { keyHash } from './key.ts'
import type { Raw } from './redact.ts'

interface FailedExchange {
  readonly call: Call
  readonly timeout: number
  readonly error: unknown
  readonly redact: (text: string) => string
  readonly endedBy: 'timeout' | 'aborted' | undefined
  /** The request was handed to the transport. */
  readonly left: boolean
  /** Says that the service speaks the other protocol, so that it cannot have read the request. */
  readonly wrongProtocol: string | undefined
}

/** The error of an attempt that brought no answer. A missing token has an error of its own already. */
export function failedExchange({ call, timeout, error, redact, endedBy, left, wrongProtocol }: FailedExchange): Error {
  if (error instanceof ApiError) return error
  if (wrongProtocol !== undefined) {
    const cause = Object.assign(causeOf(error, redact), { message: wrongProtocol })
    const what = `got no answer: ${wrongProtocol}`
    return noAnswerError(call, { reason: 'wrong_protocol', notSent: true, what, cause, retry: 'backoff' })
  }
  const notSent = !left || error instanceof NoConnection || (endedBy === undefined && failedBeforeConnection(error))
  const reason = endedBy ?? 'connection'
  const cause = endedBy === undefined ? causeOf(error, redact) : undefined
  const what = {
    timeout: `had no answer within ${Math.round(timeout)} ms`,
    aborted: "was ended by the caller's signal",
    connection: `got no answer: ${cause?.message}`,
  }[reason]
  return noAnswerError(call, { reason, notSent, what, cause, retry: endedBy === 'aborted' ? 'no' : 'backoff' })
}

interface NoAnswerFacts {
  readonly reason: NoAnswerError['reason']
  readonly notSent: boolean
  /** Follows the name of the call in the message. */
  readonly what: string
  readonly retry: 'no' | 'backoff'
  readonly status?: number
  readonly raw?: () => Raw
  readonly cause?: unknown
}

/** The error of an attempt without an answer, or with one that cannot be used. */
export function noAnswerError(call: Call, facts: NoAnswerFacts): NoAnswerError {
  const { reason, notSent, what, retry, status, raw, cause } = facts
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

/** There was no connection that could carry a request: nothing was sent, whatever the reason. */
export class NoConnection extends Error {
  constructor(cause: unknown) {
    super('no connection', { cause })
  }
}

/** The request was on its way, and may have been read, whatever the reason: some come before a connection in other cases. */
export class LostConnection extends Error {
  constructor(cause: unknown) {
    super('the connection was lost', { cause })
  }
}

/** True if the exchange failed before there was a connection that could carry a request. */
function failedBeforeConnection(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || error instanceof LostConnection || depth > 5) return false
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every((one) => failedBeforeConnection(one, depth + 1))
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true
  if (code !== undefined && BEFORE_A_CONNECTION.has(code)) return true
  return failedBeforeConnection(error.cause, depth + 1)
}

/** The innermost reason as a new error: the original may hold the request with its headers. */
function causeOf(error: unknown, redact: (text: string) => string): Error {
  let innermost = error
  for (let depth = 0; depth < 5 && innermost instanceof Error && innermost.cause instanceof Error; depth++)
    innermost = innermost.cause
  const code = innermost instanceof Error ? (innermost as NodeJS.ErrnoException).code : undefined
  const cause = new Error(oneLine(redact(reasonOf(innermost))) || (code ?? 'no reason given'))
  return code === undefined ? cause : Object.assign(cause, { code: redact(code) })
}
