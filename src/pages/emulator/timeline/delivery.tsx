import type { ComponentChildren } from 'preact'
import { TIMESTAMP_TOLERANCE_SECONDS } from '../../../service/delivery.ts'
import { Body, Facts, Headers, Raw } from '../../ui/components/body.tsx'
import type { Attempt, Delivery, Signature } from '../wire/wire-types.ts'
import { explainAttempt, isStale, skewText } from './cause.ts'

export function deliverySections(delivery: Delivery, index: number): Readonly<Record<string, ComponentChildren>> {
  const [attempt, signature] = [delivery.attempts[index], delivery.signatures[index]]
  const head = <State delivery={delivery} />
  if (!attempt || !signature) return { Delivery: head }
  return {
    Delivery: (
      <>
        {head}
        <Cause attempt={attempt} signature={signature} />
      </>
    ),
    Request: <AttemptRequest attempt={attempt} />,
    Response: <AttemptResponse attempt={attempt} />,
    Signature: <SignaturePanel attempt={attempt} signature={signature} />,
  }
}

interface AttemptProps {
  readonly attempt: Attempt
  readonly signature: Signature
}

function AttemptRequest({ attempt: { request } }: Pick<AttemptProps, 'attempt'>) {
  return (
    <>
      <p class="mono line">
        <b>POST</b> {request.url}
      </p>
      <Headers headers={request.headers} />
      <Body text={request.body} />
    </>
  )
}

function AttemptResponse({ attempt: { response, status, tookMs } }: Pick<AttemptProps, 'attempt'>) {
  return (
    <>
      <p class="line">
        <b>{status ?? 'No answer'}</b> <span class="muted">after {tookMs} ms</span>
      </p>
      {response && <Headers headers={response.headers} />}
      {response && <Body text={response.body} />}
    </>
  )
}

function Cause({ attempt, signature }: AttemptProps) {
  const cause = explainAttempt(attempt, signature)
  return cause === undefined ? null : (
    <p class="cause">
      <b>Likely cause. </b>
      {cause}
    </p>
  )
}

const STATES = {
  pending: 'It is not delivered yet. The service tries again.',
  delivered: 'It was delivered.',
  failed: 'The service gave up. Missed events cannot be fetched later.',
} as const

function State({ delivery: { id, state, attempts } }: { delivery: Delivery }) {
  const isUnsent = state === 'failed' && attempts.length === 0
  return (
    <p class="line">
      {isUnsent ? 'It was never sent, because its endpoint was disabled or removed.' : STATES[state]}{' '}
      <span class="muted mono">{id}</span>
    </p>
  )
}

function SignaturePanel({ attempt, signature }: AttemptProps) {
  const { timestamp, sent, expected, skewSeconds } = signature
  const isSame = sent === expected
  return (
    <>
      <Facts
        of={[
          ['Signed string', <Raw text={`${timestamp}.${attempt.request.body}`} />],
          ['Expected', <code>{expected}</code>],
          [
            'Sent',
            <>
              <code>{sent}</code>{' '}
              <span class={`chip ${isSame ? 'good' : 'bad'}`}>{isSame ? '✓ the same' : '✕ different'}</span>
            </>,
          ],
          [
            'Time',
            <>
              Signed {skewText(signature)}{' '}
              <span class={`chip ${isStale(signature) ? 'bad' : 'good'}`}>
                {isStale(signature) ? '✕' : '✓'} {Math.abs(skewSeconds)} of {TIMESTAMP_TOLERANCE_SECONDS} s
              </span>
            </>,
          ],
        ]}
      />
      <p class="muted small">The signed string is the timestamp, a dot, and the exact bytes of the body.</p>
      <p class="muted small">Expected is HMAC-SHA256 of the signed string with the secret that the endpoint has now.</p>
    </>
  )
}
