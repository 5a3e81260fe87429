import type { Answer } from './answer.ts'
import type { Deadline } from './deadline.ts'

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

/**
 * Sends a request and reads its answer. Redirects are not followed: they would carry the token elsewhere, or make a GET of
 * a POST. Rejects if there is no answer; one that broke off says so.
 */
export type Transport = (
  target: string,
  request: OutgoingRequest,
  deadline: Deadline,
) => Promise<Pick<Answer, 'status' | 'headers' | 'text' | 'broken'>>
