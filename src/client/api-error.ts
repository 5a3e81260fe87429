import { docsOf, type ErrorCode, SwitchhookError } from '../base/errors.ts'
import { API_ERRORS, type ErrorRule } from '../contract/index.ts'
import type { Raw } from './redact.ts'

/** The parts of an error of the API. */
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
  /** Made on demand: most are never looked at. */
  readonly raw?: () => Raw
  readonly cause?: unknown
}

// The base's `code` is always a string; some answers of the service have none, and a code is never made up.
const Base: new (code: ErrorCode, message: string, options?: { cause?: unknown }) => Error = SwitchhookError

/**
 * Base of all errors of the API; it is a `SwitchhookError` too. Branch on `code`, never on `message` (ERR-01).
 * It holds no token, recipient, text or one-time code of the request, however it is printed, even if the service
 * repeats them.
 */
export class ApiError extends Base {
  /** The service's code; undefined if it shows none or did not answer; `no_access_token` if there was no token. */
  readonly code: string | undefined
  /** The section of the docs about the service's code, or about such errors if it has none that is known. */
  readonly docs: string
  /** The answer's status; undefined if there was none. */
  readonly status: number | undefined
  /** `unknown` means that the message may be on the phone, or come there. */
  readonly outcome: 'not_sent' | 'unknown'
  /** The identical request under the identical key may still succeed. */
  readonly retryable: boolean
  /** The rule of the contract's table for this refusal. */
  readonly rule: ErrorRule
  /** The attempts that the call made; 1 if it does not retry. */
  readonly attempts: number
  /** Each failed check of the body, such as `body.interactive.buttons[0].title: msg`. */
  readonly detail: readonly string[]
  /** The numbers that the token holds, if the service asks for one of them (`ambiguous_number`). */
  readonly phoneNumberIds: readonly string[]
  /** The beginning of the SHA-256 of the send's key, to find it in logs; undefined if there was no key. */
  readonly idempotencyKeyHash: string | undefined
  /** The wait that the answer asks for, in milliseconds, if it asks for one. */
  readonly retryAfterMs: number | undefined
  readonly #facts: ApiErrorFacts

  /** @internal */
  constructor(facts: ApiErrorFacts) {
    super('api_error', facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = new.target.name
    this.code = facts.code
    this.docs = docsOf(isDocumented(facts.code) ? facts.code : 'api_error')
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

  /** The answer itself, without what the request held; undefined if there was none. Not shown by inspectors. */
  get raw(): Raw | undefined {
    return this.#facts.raw?.()
  }

  /** @internal There was no token to send with: all sends of the number stop until there is one. */
  static withoutToken(message: string): NoAnswerError {
    const rule = { status: 0, retry: 'no', outcome: 'not_sent', stops: 'queue' } as const
    return new NoAnswerError({ message, status: undefined, code: 'no_access_token', rule, reason: 'no_token' })
  }

  /** @internal The same error after a whole call: after an unknown outcome only an acceptance settles the send. */
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

/**
 * There was no answer that can be used. The outcome is `unknown`, unless the request certainly never left.
 * `reason`: no answer in time, ended by the caller's signal, no connection or a broken one, a success whose body
 * cannot be read, no token to ask with, or https where http is spoken, and the reverse, which the client does not
 * repeat.
 */
export class NoAnswerError extends ApiError {
  readonly reason: 'timeout' | 'aborted' | 'connection' | 'unreadable' | 'no_token' | 'wrong_protocol'

  /** @internal */
  constructor(facts: ApiErrorFacts) {
    super(facts)
    this.reason = facts.reason ?? 'connection'
  }
}

function isDocumented(code: string | undefined): code is string {
  return code === 'no_access_token' || (code !== undefined && Object.hasOwn(API_ERRORS, code))
}
