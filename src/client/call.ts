/** One request, complete but for the token. */
export interface Call {
  readonly method: 'GET' | 'POST'
  /** Below `/api/v2`. */
  readonly path: string
  readonly query?: string
  readonly body?: string
  readonly idempotencyKey?: string | undefined
  readonly phoneNumberId: string | undefined
  readonly signal: AbortSignal | undefined
}

/** What came back, read to its end or as far as it came. */
export interface Answer {
  readonly call: Call
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Why the text is not whole; undefined where it is. */
  readonly broken: 'timeout' | 'aborted' | 'connection' | 'too_large' | undefined
  /** Takes the token out of a text that came from outside. */
  readonly scrub: (text: string) => string
}

/** A call as errors name it: without address, query or body. */
export function nameOf({ method, path }: Call): string {
  return `${method} ${path}`
}
