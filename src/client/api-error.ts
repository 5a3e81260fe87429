import { type ErrorCode, SwitchhookError } from '../base/errors.ts'
import type { ErrorRule } from '../contract/index.ts'
import type { Raw } from './raw.ts'

/** What an error of the API is made of. */
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
  /** Made when it is asked for: most are never looked at. */
  readonly raw?: () => Raw
  readonly cause?: unknown
}

// The base's `code` is always a string; some answers of the service show none, and a code is never made up.
const Base: new (code: ErrorCode, message: string, options?: { cause?: unknown }) => Error = SwitchhookError

/**
 * Base of all errors of the API; it is a `SwitchhookError` too. Branch on `code`, never on `message` (ERR-01).
 * No token, recipient, text or one-time code of the request stands in it, whichever way it is printed, though the
 * service repeats them.
 */
export class ApiError extends Base {
  /** The service's code; undefined where it shows none or did not answer; `no_access_token` where none was given. */
  readonly code: string | undefined
  /** The answer's status; undefined where there was none. */
  readonly status: number | undefined
  /** What is known of the message: `unknown` means that it may be on the phone, or come there. */
  readonly outcome: 'not_sent' | 'unknown'
  /** Whether the identical request under the identical key can still end otherwise. */
  readonly retryable: boolean
  /** What the contract's table says about this refusal. */
  readonly rule: ErrorRule
  /** How many attempts the call made; 1 where it does not retry. */
  readonly attempts: number
  /** Each failed check of the body, such as `body.interactive.buttons[0].title: msg`. */
  readonly detail: readonly string[]
  /** The numbers that the token holds, where the service asks for one of them (`ambiguous_number`). */
  readonly phoneNumberIds: readonly string[]
  /** The beginning of the SHA-256 of the send's key, to find it in logs; undefined where there was no key. */
  readonly idempotencyKeyHash: string | undefined
  /** The wait that the answer asks for, in milliseconds, where it does. */
  readonly retryAfterMs: number | undefined
  readonly #facts: ApiErrorFacts

  /** @internal */
  constructor(facts: ApiErrorFacts) {
    super('api_error', facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = new.target.name
    this.code = facts.code
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

  /** The answer itself, without what the request held; undefined where there was none. Not shown by inspectors. */
  get raw(): Raw | undefined {
    return this.#facts.raw?.()
  }

  /** @internal There was no token to send with: the number's queue stops until there is one. */
  static notSent(message: string): NoAnswerError {
    const rule = { status: 0, retry: 'no', outcome: 'not_sent', stops: 'queue' } as const
    return new NoAnswerError({ message, status: undefined, code: 'no_access_token', rule, reason: 'no_token' })
  }

  /** @internal The same error after a whole call: once an attempt was unknown, only an acceptance settles it. */
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
 * No answer that can be used. The outcome is `unknown`, but where the request certainly never left.
 * `reason`: no answer in time, ended by the caller's signal, no or a broken connection, a success whose body
 * cannot be read, or no token to ask with.
 */
export class NoAnswerError extends ApiError {
  readonly reason: 'timeout' | 'aborted' | 'connection' | 'unreadable' | 'no_token'

  /** @internal */
  constructor(facts: ApiErrorFacts) {
    super(facts)
    this.reason = facts.reason ?? 'connection'
  }
}
