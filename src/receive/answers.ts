import type { Acceptance } from '../stores/port/index.ts'
import type { Body } from './body.ts'

/** What goes back over the wire. Bodies are constant: a reason is for the log alone. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const json = { 'content-type': 'application/json' }
const closing = { ...json, connection: 'close' }

export const ANSWERS = {
  accepted: { status: 200, headers: json, body: '{"status":"accepted"}' },
  duplicate: { status: 200, headers: json, body: '{"status":"duplicate"}' },
  unauthorized: { status: 401, headers: json, body: '{"error":"unauthorized"}' },
  methodNotAllowed: { status: 405, headers: { ...json, allow: 'POST' }, body: '{"error":"method_not_allowed"}' },
  timeout: { status: 408, headers: closing, body: '{"error":"timeout"}' },
  tooLarge: { status: 413, headers: closing, body: '{"error":"too_large"}' },
  unsupportedEncoding: { status: 415, headers: json, body: '{"error":"unsupported_encoding"}' },
  bodyAlreadyParsed: { status: 500, headers: json, body: '{"error":"body_already_parsed"}' },
  unavailable: { status: 503, headers: json, body: '{"error":"unavailable"}' },
} as const satisfies Record<string, Answer>

/** Once a signature holds, no content is answered with an error: the service would disable the endpoint. */
export const ANSWER_TO: Readonly<Record<Acceptance, Answer>> = {
  stored: ANSWERS.accepted,
  quarantined: ANSWERS.accepted,
  conflict: ANSWERS.accepted,
  duplicate: ANSWERS.duplicate,
  suspected_replay: ANSWERS.duplicate,
  stale: ANSWERS.unauthorized,
}

export const ANSWER_TO_BODY: Readonly<Record<Extract<Body, { problem: unknown }>['problem'], Answer>> = {
  too_large: ANSWERS.tooLarge,
  timeout: ANSWERS.timeout,
  // Nobody is left to read it.
  aborted: ANSWERS.timeout,
  already_parsed: ANSWERS.bodyAlreadyParsed,
}
