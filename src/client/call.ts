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

/** One of a call's attempts. */
export interface Attempt {
  /** Which one it is, from 1 on. */
  readonly nth: number
  /** Milliseconds that it may take, its body included. */
  readonly timeout: number
  readonly token: () => Promise<string>
}

/** What came back, read to its end or as far as it came. */
export interface Answer {
  readonly call: Call
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Why the text is not whole; undefined where it is. */
  readonly broken: 'timeout' | 'aborted' | 'connection' | 'too_large' | undefined
  /** Takes what the request held out of a text that came from outside. */
  readonly scrub: (text: string) => string
}

/** A call as errors name it: without address, query or body. */
export function nameOf({ method, path }: Call): string {
  return `${method} ${path}`
}
