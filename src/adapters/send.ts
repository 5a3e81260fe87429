import type { ServerResponse } from 'node:http'
import type { Answer } from '../receive/answers.ts'

/** Writes an answer as it is; where the caller has gone, nobody is left to tell. */
export function send(response: ServerResponse, answer: Answer): void {
  if (response.writableEnded || response.destroyed) return
  response.statusCode = answer.status
  for (const name in answer.headers) response.setHeader(name, answer.headers[name] ?? '')
  response.setHeader('content-length', Buffer.byteLength(answer.body))
  response.end(answer.body)
}
