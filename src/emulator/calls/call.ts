import type { HttpAnswer, HttpRequest } from '../http/messages.ts'

/** A call of the API, as it went over the wire. */
export interface Call {
  readonly id: string
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly tookMs: number
  readonly request: HttpRequest
  readonly answer: HttpAnswer
}
