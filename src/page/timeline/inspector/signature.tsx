import { TIMESTAMP_TOLERANCE_SECONDS } from '../../../contract/delivery.ts'
import { firstDifference, skewText } from '../cause.ts'
import { type AttemptProps, Cause, NoAttempt } from './attempt.tsx'
import { LongText } from '../../../ui/components/body.tsx'

/** Compares the expected and the sent signature, shows what was signed, and what the receiver answered. */
export function SignatureView({ delivery, index }: AttemptProps) {
  const [attempt, signature] = [delivery.attempts[index], delivery.signatures[index]]
  if (attempt === undefined || signature === undefined) return <NoAttempt delivery={delivery} />
  const { timestamp, sent, expected, skewSeconds } = signature
  const place = firstDifference(expected, sent)
  const isFresh = Math.abs(skewSeconds) <= TIMESTAMP_TOLERANCE_SECONDS
  return (
    <>
      <Cause delivery={delivery} index={index} />
      <dl class="facts">
        <dt>Signed string</dt>
        <dd>
          <LongText text={`${timestamp}.${attempt.request.body}`} />
          <p class="muted small">The timestamp, a dot, and the exact bytes of the body.</p>
        </dd>
        <dt>Expected</dt>
        <dd class="hex">
          <Hex text={expected} place={place} />
        </dd>
        <dt>Sent</dt>
        <dd class="hex">
          <Hex text={sent} place={place} />
          <p>
            {place === undefined ? (
              <span class="chip good">✓ the same</span>
            ) : (
              <span class="chip bad">✕ differs from character {place + 1} on</span>
            )}
          </p>
        </dd>
        <dt>Time</dt>
        <dd>
          Signed {skewText(signature)}{' '}
          <span class={`chip ${isFresh ? 'good' : 'bad'}`}>
            {isFresh ? '✓' : '✕'} {Math.abs(skewSeconds)} of {TIMESTAMP_TOLERANCE_SECONDS} s
          </span>
        </dd>
        <dt>Receiver</dt>
        <dd>
          {attempt.response === null ? (
            `no answer: ${(attempt.error ?? 'unknown').replaceAll('_', ' ')}`
          ) : (
            <>
              {attempt.status} <span class="mono">{attempt.response.body.slice(0, 300)}</span>
            </>
          )}
        </dd>
      </dl>
      <p class="muted small">Expected is HMAC-SHA256 of the signed string with the secret that the endpoint has now.</p>
    </>
  )
}

/** Shows a signature with the first different character marked. */
function Hex({ text, place }: { text: string; place: number | undefined }) {
  if (place === undefined) return <code>{text}</code>
  return (
    <code>
      {text.slice(0, place)}
      <mark>{text.slice(place, place + 1)}</mark>
      {text.slice(place + 1)}
    </code>
  )
}
