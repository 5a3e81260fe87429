import type { Random, Timers } from '../base/clock.ts'
import type { Duration } from '../base/duration.ts'
import type { Validation } from '../content/index.ts'
import type { ApiError } from './api-error.ts'
import type { Call } from './call.ts'
import type { TokenSource } from './token.ts'

/** How long and how often: for the client, and for one call, where each can be given alone. */
export interface Limits {
  /** How long one attempt may take, its body included. Default `'30s'`. */
  timeout?: Duration | undefined
  /** How long a call may take with all its attempts and waits. Default `'120s'`. */
  deadline?: Duration | undefined
  /** Repeats after 429, 5xx or no answer. Default 3; 0 repeats nothing at all. */
  maxRetries?: number | undefined
}

export interface ClientOptions extends Limits {
  /** The service's base address: https, or http on this machine; with or without `/api/v2` at its end (GEN-01). */
  baseUrl: string
  /**
   * The number's token, or a function that gives it, asked at every attempt (AUTH-02). After a 401 a call is tried
   * once more, under the same key, where the function gives another token. Whether the service still knows a key
   * after a number was reconnected is not specified.
   */
  accessToken: TokenSource
  /** Names the number where one token is held by several (SEND-19). */
  phoneNumberId?: string | undefined
  /** Who may be sent to; others are refused here with `recipient_not_allowed`. Default: everybody. */
  allowedRecipients?: readonly string[] | undefined
  /**
   * What becomes of a content that passes a limit of the service: `strict` (default) throws `content_invalid`, `warn`
   * tells and sends, `off` sends, for the day when the live service allows more than was known.
   */
  validation?: Validation | undefined
  /** Hears of each problem under `warn`, and of doubts under `strict`. Default under `warn`: `process.emitWarning`. */
  warn?: ((problem: string) => void) | undefined
  /** Default: `globalThis.fetch`, looked up at each attempt. */
  fetch?: typeof fetch | undefined
  /** Stands behind `switchhook/<version>` in the `User-Agent`. */
  userAgent?: string | undefined
  /** Hears how each attempt ended, with nothing of the message in it: logs and metrics hang here. */
  onAttempt?: ((attempt: AttemptReport) => void) | undefined
  /** Hears an emulator's clock offset, in milliseconds; only where `baseUrl` is this machine. */
  onOffset?: ((ms: number) => void) | undefined
  /** For tests: chance in [0, 1), passing time, and a clock in milliseconds that never goes back. */
  random?: Random | undefined
  timers?: Timers | undefined
  now?: (() => number) | undefined
}

/** An attempt as a log may show it: nothing of the message, its recipient or its key is in it. */
export interface AttemptReport {
  readonly method: Call['method']
  readonly path: string
  /** Which attempt of its call it was, from 1 on. */
  readonly attempt: number
  /** The answer's status; undefined where there was none. */
  readonly status: number | undefined
  /** The error's code, where it has one. */
  readonly code: string | undefined
  /** `accepted` of a send is not yet sent (SEND-25); `read` is a page of templates. */
  readonly outcome: 'accepted' | 'read' | ApiError['outcome']
  readonly ms: number
  readonly idempotencyKeyHash: string | undefined
}
