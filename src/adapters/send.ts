import type { ServerResponse } from 'node:http'
import type { Answer } from '../receive/answers.ts'

/**
 * Writes an answer as it is. Where the caller has gone, nobody is left to tell; and an answer that the app has
 * begun, a time-out's for instance, cannot be taken back.
 */
export function send(response: ServerResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) return
  response.statusCode = answer.status
  for (const name in answer.headers) response.setHeader(name, answer.headers[name] ?? '')
  response.setHeader('content-length', Buffer.byteLength(answer.body))
  response.end(answer.body)
}
