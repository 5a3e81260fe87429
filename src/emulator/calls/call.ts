import type { HttpAnswer, HttpRequest } from '../http/messages.ts'

/** A call of the API, as it went over the wire. */
export interface Call {
  readonly id: string
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly tookMs: number
  /** Without its body where that is withheld. */
  readonly request: HttpRequest
  /** Whether a one-time code may stand in the body: then it is not kept (OTP-06). */
  readonly withheld: boolean
  readonly answer: HttpAnswer
}
