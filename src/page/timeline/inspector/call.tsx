import { parseJsonObject } from '../../../ui/text/json.ts'
import { explainRefusal } from '../../text/refusals.ts'
import type { Call } from '../../wire/types.ts'
import { Body, Headers } from '../../../ui/components/body.tsx'

export function CallRequest({ call: { method, path, request } }: { call: Call }) {
  return (
    <>
      <p class="mono line">
        <b>{method}</b> {path}
      </p>
      <Headers headers={request.headers} />
      {request.body === null ? (
        <p class="cause fine">
          <b>Withheld. </b>
          This body may hold a one-time code, or cannot be read as text. A code is on the handset alone: in no log, no
          file and no inspector.
        </p>
      ) : (
        <Body text={request.body} />
      )}
    </>
  )
}

/** The ways in which a fault spoils an answer. */
const SPOILT_ANSWERS: Readonly<Record<string, string>> = {
  cut: 'The connection was closed in place of this answer: the app does not know what became of its call.',
  reset: 'The connection was reset in place of this answer: the app does not know what became of its call.',
  half: 'Half of this answer went out, then the connection was cut: the app does not know what became of its call.',
  never: 'This answer never went out: the app waits until it gives up.',
}

export function CallResponse({ call: { status, tookMs, response, spoilt } }: { call: Call }) {
  const rule = explainRefusal(codeIn(response.body))
  return (
    <>
      <p class="line">
        <b>{status}</b> <span class="muted">after {tookMs} ms</span>
      </p>
      {spoilt !== undefined && (
        <p class="cause">
          <b>A fault. </b>
          {SPOILT_ANSWERS[spoilt] ?? spoilt}
        </p>
      )}
      {rule && (
        <p class="cause">
          <b>{rule.rule}. </b>
          {rule.text}
        </p>
      )}
      <Headers headers={response.headers} />
      <Body text={response.body} />
    </>
  )
}

function codeIn(body: string): string | null {
  const code = parseJsonObject(body)?.['code']
  return typeof code === 'string' ? code : null
}
