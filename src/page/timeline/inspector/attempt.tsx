import { formatDateTime } from '../../../ui/text/time.ts'
import type { Delivery } from '../../wire/types.ts'
import { explainAttempt, skewText } from '../cause.ts'
import { firstBody } from '../copies.ts'
import { chosenAttempt } from '../details.ts'
import { Body, Headers } from '../../../ui/components/body.tsx'

export interface AttemptProps {
  readonly delivery: Delivery
  /** The index of the attempt, from 0. */
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

/** Explains the likely cause of the outcome, if there is something to explain. */
export function Cause({ delivery, index }: AttemptProps) {
  const [attempt, signature] = [delivery.attempts[index], delivery.signatures[index]]
  if (attempt === undefined || signature === undefined) return null
  const first = firstBody(delivery)
  const otherBody = delivery.attempts.map(({ request }) => request.body).find((body) => body !== attempt.request.body)
  const changed = attempt.request.body === first ? undefined : otherBody
  const cause = explainAttempt({ attempt, signature, otherBody: changed })
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

/** Lists all attempts of the delivery. The chosen one is shown in the other tabs. */
export function Attempts({ delivery, index }: AttemptProps) {
  const { attempts, signatures, state } = delivery
  if (attempts.length === 0) return <NoAttempt delivery={delivery} />
  return (
    <>
      <p class="line">
        {STATES[state]} <span class="muted mono">{delivery.id}</span>
      </p>
      <ol class="attempts">
        {attempts.map((attempt, at) => {
          const signature = signatures[at]
          const isFine = attempt.status !== null && attempt.status >= 200 && attempt.status <= 299
          return (
            <li key={at}>
              <button type="button" aria-pressed={at === index} onClick={() => (chosenAttempt.value = at)}>
                <span>{at + 1}</span>
                <time dateTime={attempt.at}>{formatDateTime(attempt.at)}</time>
                <span class={`chip ${isFine ? 'good' : 'bad'}`}>
                  {attempt.status ?? (attempt.error ?? 'no answer').replaceAll('_', ' ')}
                </span>
                <span class="muted">{attempt.tookMs} ms</span>
                <span class="muted signed">{signature && `signed ${skewText(signature)}`}</span>
              </button>
            </li>
          )
        })}
      </ol>
      <Cause delivery={delivery} index={index} />
    </>
  )
}

const STATES = {
  pending: 'It is not delivered yet, and will be tried again.',
  delivered: 'It was delivered.',
  failed: 'It was given up: events that were missed cannot be fetched later.',
} as const
