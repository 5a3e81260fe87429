import { optionsInvalid } from '../base/errors.ts'
import type { ErrorRule } from '../contract/index.ts'
import { keyHash } from './key.ts'

/** One request, complete except for the token. */
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

export interface Attempt {
  /** Its place among the attempts, from 1 on. */
  readonly nth: number
  /** Milliseconds that it may take, its body included. */
  readonly timeout: number
  readonly token: () => Promise<string>
}

/** A call as errors name it: without address, query or body. */
export function nameOf({ method, path }: Call): string {
  return `${method} ${path}`
}

const LONGEST_HEADER = 255

/** A value that a header carries unchanged: printable ASCII, no space at its ends, at most 255 characters. */
export function headerValue(name: string, value: unknown): string {
  const refuse = (why: string): never => {
    throw optionsInvalid(`${name}: expected ${why}`)
  }
  if (typeof value !== 'string') return refuse(`a string, got ${value === null ? 'null' : typeof value}`)
  if (value.trim() === '') return refuse('a value, got a blank string')
  if (!/^[\x20-\x7e]*$/.test(value)) return refuse('printable ASCII characters alone')
  // A header loses the spaces at its ends, so two keys would become one.
  if (value !== value.trim()) return refuse('no space at its beginning or end')
  if (value.length > LONGEST_HEADER)
    return refuse(`at most ${LONGEST_HEADER} characters, got ${value.length}: make it by keyFrom()`)
  return value
}

/** An attempt as a log may show it: nothing of the message, its recipient or its key is in it. */
export interface AttemptReport {
  readonly method: Call['method']
  readonly path: string
  /** Its place among the attempts of its call, from 1 on. */
  readonly attempt: number
  /** The answer's status; undefined if there was none. */
  readonly status: number | undefined
  /** The error's code, if it has one. */
  readonly code: string | undefined
  /** `accepted` of a send is not yet sent (SEND-25); `read` is a page of templates. */
  readonly outcome: 'accepted' | 'read' | ErrorRule['outcome']
  readonly ms: number
  readonly idempotencyKeyHash: string | undefined
}

interface Listening {
  readonly onAttempt: ((attempt: AttemptReport) => void) | undefined
  readonly now: () => number
}

/** Runs one attempt and reports its end to `onAttempt`, if somebody listens. */
export async function reported<T extends { readonly raw: { readonly status: number } }>(
  { onAttempt, now }: Listening,
  { call, attempt }: { call: Call; attempt: Attempt },
  run: () => Promise<T>,
): Promise<T> {
  if (!onAttempt) return run()
  const began = now()
  const report = (end: Pick<AttemptReport, 'status' | 'code' | 'outcome'>) => {
    const { method, path, idempotencyKey } = call
    const ms = now() - began
    try {
      onAttempt({ method, path, attempt: attempt.nth, ...end, ms, idempotencyKeyHash: keyHash(idempotencyKey) })
    } catch {
      // A listener that fails must not make an accepted message look like a refused one.
    }
  }
  try {
    const value = await run()
    report({ status: value.raw.status, code: undefined, outcome: call.method === 'POST' ? 'accepted' : 'read' })
    return value
  } catch (error) {
    const { status, code, outcome = 'not_sent' } = error as Partial<AttemptReport>
    report({ status, code, outcome })
    throw error
  }
}
