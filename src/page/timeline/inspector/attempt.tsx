import type { Delivery } from '../../wire/types.ts'
import { causeOf } from '../cause.ts'
import { bodyOf } from '../copies.ts'
import { Body } from './body.tsx'
import { Headers } from './headers.tsx'

export interface AttemptProps {
  readonly delivery: Delivery
  /** Which of its attempts, from 0. */
  readonly index: number
}

export function AttemptRequest({ delivery, index }: AttemptProps) {
  const attempt = delivery.attempts[index]
  if (attempt === undefined) return <NoAttempt delivery={delivery} />
  const { url, headers, body } = attempt.request
  return (
    <>
      <p class="mono line">
        <b>POST</b> {url}
      </p>
      <Headers headers={headers} />
      <Body text={body} />
    </>
  )
}

export function AttemptResponse({ delivery, index }: AttemptProps) {
  const attempt = delivery.attempts[index]
  if (attempt === undefined) return <NoAttempt delivery={delivery} />
  const { response, status, tookMs } = attempt
  return (
    <>
      <p class="line">
        <b>{status ?? 'No answer'}</b> <span class="muted">after {tookMs} ms</span>
      </p>
      <Cause delivery={delivery} index={index} />
      {response && <Headers headers={response.headers} />}
      {response && <Body text={response.body} />}
    </>
  )
}

/** What was probably wrong, in words. */
export function Cause({ delivery, index }: AttemptProps) {
  const [attempt, signature] = [delivery.attempts[index], delivery.signatures[index]]
  if (attempt === undefined || signature === undefined) return null
  const first = bodyOf(delivery)
  const otherBody = delivery.attempts.map(({ request }) => request.body).find((body) => body !== attempt.request.body)
  const changed = attempt.request.body === first ? undefined : otherBody
  const cause = causeOf({ attempt, signature, otherBody: changed })
  if (cause === undefined) return null
  const isFine = cause.endsWith('All is well.')
  return (
    <p class={`cause ${isFine ? 'fine' : ''}`}>
      <b>{isFine ? 'Seen before. ' : 'Likely cause. '}</b>
      {cause}
    </p>
  )
}

export function NoAttempt({ delivery }: { delivery: Delivery }) {
  return (
    <p class="empty">
      {delivery.state === 'pending'
        ? 'No attempt has ended yet: it is under way, held back by a fault, or waits for its turn.'
        : 'It never went out: its endpoint was disabled or removed meanwhile. Register it again, and replay.'}
    </p>
  )
}
