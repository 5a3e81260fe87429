import type { IncomingMessage } from 'node:http'
import { getRawBody } from 'raw-body'
import type { Timers } from '../base/clock.ts'

/** The exact bytes, or why they cannot be had. */
export type Body =
  | { readonly bytes: Uint8Array }
  | { readonly problem: 'too_large' | 'timeout' | 'aborted' | 'already_parsed' }

export interface BodyLimits {
  readonly maxBytes: number
  /** Milliseconds until the whole body must be here. */
  readonly deadlineMs: number
  readonly timers: Timers
}

/**
 * Reads the exact bytes of a request. The declared length is refused early, the real one is counted. Where
 * something upstream has read them already, a Buffer that it kept (`rawBody`, or a Buffer `body`) is taken;
 * parsed JSON is not turned back into bytes, since those would be others.
 */
export function readBody(
  request: IncomingMessage & { body?: unknown; rawBody?: unknown },
  limits: BodyLimits,
): Promise<Body> {
  const kept = [request.rawBody, request.body].find((one) => one instanceof Uint8Array)
  if (kept) return Promise.resolve(kept.byteLength > limits.maxBytes ? { problem: 'too_large' } : { bytes: kept })
  // Of a body that somebody began to read the first part is gone, and the rest may never be let through.
  if (request.readableDidRead) return Promise.resolve({ problem: 'already_parsed' })
  return new Promise((resolve) => {
    const cancel = limits.timers.after(limits.deadlineMs, () => resolve({ problem: 'timeout' }))
    const length = request.headers['content-length']
    getRawBody(request, { limit: limits.maxBytes, length: length ?? null }, (error, bytes) => {
      cancel()
      resolve(error ? { problem: problemOf(error) } : { bytes })
    })
  })
}

function problemOf(error: { type?: string }): 'too_large' | 'aborted' | 'already_parsed' {
  if (error.type === 'entity.too.large') return 'too_large'
  if (error.type === 'stream.not.readable' || error.type === 'stream.encoding.set') return 'already_parsed'
  return 'aborted'
}
