import { clockText } from '../../parts/time.ts'
import { skewText } from '../cause.ts'
import { chosenAttempt } from '../details.ts'
import { type AttemptProps, Cause, NoAttempt } from './attempt.tsx'

/** Every attempt of the delivery; the one that is chosen is what the other tabs show. */
export function Attempts({ delivery, index }: AttemptProps) {
  const { attempts, signatures, state } = delivery
  if (attempts.length === 0) return <NoAttempt delivery={delivery} />
  return (
    <>
      <p class="line">
        {STATES[state]} <span class="muted mono">{delivery.id}</span>
      </p>
      <ol class="attempts">
        {attempts.map((attempt, place) => {
          const signature = signatures[place]
          const isFine = attempt.status !== null && attempt.status >= 200 && attempt.status <= 299
          return (
            <li key={place}>
              <button type="button" aria-pressed={place === index} onClick={() => (chosenAttempt.value = place)}>
                <span>{place + 1}</span>
                <time dateTime={attempt.at}>{clockText(attempt.at)}</time>
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
