/**
 * The service's errors as one table: code → status → what a client does next.
 *
 * `retry`    `no`: a repeat would fail too. `backoff`: exponential, with jitter, same key. `pause`: a short wait,
 *            same key. `cautious`: few attempts, same key.
 * `outcome`  `not_sent`, or `unknown`: the message may be on the phone.
 * `stops`    set if the number's sends wait until a person fixes the cause, which lies in the token or the account
 *            (`queue`), or in the number that the request names (`named`).
 */
export interface ErrorRule {
  readonly status: number
  readonly retry: 'no' | 'backoff' | 'pause' | 'cautious'
  readonly outcome: 'not_sent' | 'unknown'
  readonly stops?: 'queue' | 'named'
}

const no = { retry: 'no', outcome: 'not_sent' } as const

export const API_ERRORS = {
  invalid_template: { status: 400, ...no },
  ambiguous_number: { status: 400, ...no, stops: 'named' },
  not_authenticated: { status: 401, ...no, stops: 'queue' },
  plan_feature_locked: { status: 402, ...no, stops: 'queue' },
  plan_limit_reached: { status: 402, ...no },
  number_not_for_token: { status: 403, ...no, stops: 'named' },
  account_suspended: { status: 403, ...no, stops: 'queue' },
  outside_messaging_window: { status: 409, ...no },
  idempotency_in_progress: { status: 409, retry: 'pause', outcome: 'unknown' },
  idempotency_key_reused: { status: 422, ...no },
  invalid_one_time_code: { status: 422, ...no },
  template_not_found: { status: 422, ...no },
  validation_error: { status: 422, ...no },
  rate_limited: { status: 429, retry: 'backoff', outcome: 'not_sent' },
  send_failed: { status: 502, retry: 'cautious', outcome: 'not_sent' },
  internal_error: { status: 500, retry: 'backoff', outcome: 'unknown' },
} as const satisfies Record<string, ErrorRule>

export type ApiErrorCode = keyof typeof API_ERRORS

/**
 * The rule for an answer other than 200: by its code if the table knows it, else by its status (ERR-01, ERR-03).
 *
 *     ruleOf(409, 'outside_messaging_window').retry // 'no'
 */
export function ruleOf(status: number, code: string | undefined): ErrorRule {
  if (code !== undefined && Object.hasOwn(API_ERRORS, code)) return API_ERRORS[code as ApiErrorCode]
  if (status === 429) return API_ERRORS.rate_limited
  if (status >= 500) return { ...API_ERRORS.internal_error, status }
  return { status, ...no }
}
