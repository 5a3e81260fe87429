import { knownToAllBuilds } from '../base/shared.ts'
import { docsOf, type ErrorCode, reasonOf, SwitchhookError, isA, readError, causeOf, textIn } from '../base/errors.ts'
import { API_ERRORS, type ApiErrorCode, type ErrorRule } from '../service/error-table.ts'
import { keyHash } from './key-from.ts'

export interface ApiErrorFacts {
  readonly message: string
  readonly status: number | undefined
  readonly code: string | undefined
  readonly rule: ErrorRule
  readonly outcome?: ApiError['outcome']
  readonly attempts?: number
  readonly detail?: readonly string[]
  readonly phoneNumberIds?: readonly string[]
  readonly reason?: NoAnswerError['reason']
  readonly idempotencyKeyHash?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

// Hides the type of the base's `code`, which is always a string: some answers of the service have no code.
const Base: new (code: ErrorCode, message: string, options?: { cause?: unknown }) => Error = SwitchhookError

/**
 * The base of all API errors, and a `SwitchhookError`. Branch on `code`, never on `message` (ERR-01). However you print
 * it, it contains no token, recipient, text or one-time code of the request, even if the service repeats them.
 *
 *     try {
 *       await client.messages.send(phone, 'It is ready', { idempotencyKey: keyFrom('order', id, 'ready') })
 *     } catch (error) {
 *       if (error instanceof ApiError && error.code === 'outside_messaging_window') await sendTemplate()
 *       else throw error
 *     }
 */
export class ApiError extends Base {
  /** The service's code; undefined if it has none or did not answer; `no_access_token` if there was no token. */
  readonly code: ApiErrorCode | 'no_access_token' | (string & {}) | undefined
  /** The docs section about the service's code, or about such errors in general. */
  readonly docs: string
  /** The answer's status; undefined if there was none. */
  readonly status: number | undefined
  /** `unknown` means that the message may have arrived, or may still arrive. */
  readonly outcome: 'not_sent' | 'unknown'
  /** True if the identical request under the identical key may still succeed. */
  readonly retryable: boolean
  /** The rule for this refusal, from the table of the service's errors. */
  readonly rule: ErrorRule
  /** How many attempts the call made. */
  readonly attempts: number
  /** Each failed check of the body, such as `body.interactive.buttons[0].title: msg`. */
  readonly detail: readonly string[]
  /** The numbers that share the token, if the service requires one of them (`ambiguous_number`). */
  readonly phoneNumberIds: readonly string[]
  /** The beginning of the SHA-256 of the send's key, to find it in logs; undefined without a key. */
  readonly idempotencyKeyHash: string | undefined
  /** The wait that the answer requests, in milliseconds. */
  readonly retryAfterMs: number | undefined
  readonly #facts: ApiErrorFacts

  /** @internal */
  constructor(facts: ApiErrorFacts) {
    super('api_error', facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = new.target.name
    this.code = facts.code
    const { code = '' } = facts
    this.docs = docsOf(code === 'no_access_token' || Object.hasOwn(API_ERRORS, code) ? code : 'api_error')
    this.status = facts.status
    this.outcome = facts.outcome ?? facts.rule.outcome
    this.retryable = facts.rule.retry !== 'no'
    this.rule = facts.rule
    this.attempts = facts.attempts ?? 1
    this.detail = facts.detail ?? []
    this.phoneNumberIds = facts.phoneNumberIds ?? []
    this.idempotencyKeyHash = facts.idempotencyKeyHash
    this.retryAfterMs = facts.retryAfterMs
    this.#facts = facts
  }

  /** @internal There was no token to send with. All sends of the number stop until there is one. */
  static withoutToken(message: string): NoAnswerError {
    const rule = { status: 0, retry: 'no', outcome: 'not_sent', stops: 'queue' } as const
    return new NoAnswerError({ message, status: undefined, code: 'no_access_token', rule, reason: 'no_token' })
  }

  /** @internal The error of the whole call. If an earlier attempt has an unknown outcome, so does the call. */
  after(attempts: number, unknownBefore: boolean): ApiError {
    const { message } = this.#facts
    const settlesNothing = unknownBefore && this.outcome === 'not_sent'
    return new (this.constructor as typeof ApiError)({
      ...this.#facts,
      attempts,
      outcome: settlesNothing ? 'unknown' : this.outcome,
      message: settlesNothing ? `${message} (but an earlier attempt may have been accepted)` : message,
    })
  }

  toJSON(): Record<string, unknown> {
    const { name, status, code, message, outcome, retryable, attempts, idempotencyKeyHash } = this
    return { name, status, code, message, outcome, retryable, attempts, idempotencyKeyHash }
  }
}
knownToAllBuilds(ApiError)

/**
 * There was no usable answer. The outcome is `unknown`, unless the request certainly never left. `reason`: no answer
 * within the time-out, aborted by the caller's signal, no connection or a broken one, a success whose body cannot be
 * read, or no token to send with.
 */
export class NoAnswerError extends ApiError {
  readonly reason: 'timeout' | 'aborted' | 'connection' | 'unreadable' | 'no_token'

  /** @internal */
  constructor(facts: ApiErrorFacts) {
    super(facts)
    this.reason = facts.reason ?? 'connection'
  }
}
knownToAllBuilds(NoAnswerError)

const REFUSED: ErrorRule = { status: 0, retry: 'no', outcome: 'not_sent' }

/** The error of a refusal that another process received. The answer itself is not stored. */
export function recordedRefusal(record: { code: string | undefined; reason: string; key: string }): ApiError {
  const { code, reason, key } = record
  const known = code !== undefined && Object.hasOwn(API_ERRORS, code)
  const rule = known ? API_ERRORS[code as ApiErrorCode] : REFUSED
  const status = known ? rule.status : undefined
  return new ApiError({ message: reason, status, code, rule, idempotencyKeyHash: keyHash(key) })
}

interface FailedCall {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly idempotencyKey?: string | undefined
}

interface FailedExchange {
  readonly call: FailedCall
  /** Milliseconds. */
  readonly timeout: number
  readonly error: unknown
  readonly redact: (text: string) => string
  readonly endedBy: 'timeout' | 'aborted' | undefined
  /** True if the request was written. `perhaps` if only the error can tell. */
  readonly left: boolean | 'perhaps'
}

/** Makes the error of a failed request. Returns an `ApiError` unchanged: a missing token already has its own. */
export function failedExchange({ call, timeout, error, redact, endedBy, left }: FailedExchange): Error {
  if (isA(error, ApiError)) return error
  const notSent = !left || (left === 'perhaps' && endedBy === undefined && failedBeforeConnection(error))
  const reason = endedBy ?? 'connection'
  const cause = endedBy === undefined ? shownCause(error, redact, notSent) : undefined
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
  readonly what: string
  readonly retry: 'no' | 'backoff'
  readonly status?: number
  readonly cause?: unknown
}

export function noAnswerError(call: FailedCall, facts: NoAnswerFacts): NoAnswerError {
  const { reason, notSent, what, retry, status, cause } = facts
  const known = notSent || call.method === 'GET'
  const meaning = notSent
    ? 'nothing was sent'
    : 'the message may have been accepted: repeat the identical request under the identical key to find out'
  return new NoAnswerError({
    message: `${call.method} ${call.path} ${what}${call.method === 'GET' ? '' : `; ${meaning}`}`,
    status,
    code: undefined,
    rule: { status: status ?? 0, retry, outcome: known ? 'not_sent' : 'unknown' },
    reason,
    idempotencyKeyHash: keyHash(call.idempotencyKey),
    cause,
  })
}

const BEFORE_A_CONNECTION = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/** True if the error shows that no connection was made; false if it does not show that. */
function failedBeforeConnection(error: unknown, depth = 0): boolean {
  if (!isA(error, Error) || depth > 5) return false
  if (isA(error, AggregateError) && error.errors.length > 0)
    return error.errors.every((one) => failedBeforeConnection(one, depth + 1))
  const syscall = textIn(error, 'syscall')
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true
  if (BEFORE_A_CONNECTION.has(readError(error).code)) return true
  return failedBeforeConnection(causeOf(error), depth + 1)
}

const PLAIN_HTTP = 'baseUrl says https, but the server answers in plain http: check scheme, host and port of baseUrl'

/** A new error, because the original may contain the request with its headers. */
function shownCause(error: unknown, redact: (text: string) => string, notSent: boolean): Error {
  let innermost = error
  for (let depth = 0; depth < 5 && isA(causeOf(innermost), Error); depth++) innermost = causeOf(innermost)
  const { code } = readError(innermost)
  const isPlainHttp = code === 'ERR_SSL_WRONG_VERSION_NUMBER' && notSent
  const message = isPlainHttp ? PLAIN_HTTP : oneLine(redact(reasonOf(innermost)))
  const cause = new Error(message || code || 'no reason given')
  return code === '' ? cause : Object.assign(cause, { code: redact(code) })
}

export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
}
