import type { ComponentChildren } from 'preact'
import { TIMESTAMP_TOLERANCE_SECONDS } from '../../../service/delivery.ts'
import { PHONE_FORM } from '../../../service/endpoints.ts'
import { Body, Headers, LongText } from '../../ui/components/body.tsx'
import { parseJson } from '../../ui/text/json.ts'
import { formatDateTime } from '../../ui/text/time.ts'
import { RouteForm } from '../form.tsx'
import { linkedDelivery } from '../state/view.ts'
import { change } from '../wire/control.ts'
import type { Attempt, Delivery, Signature } from '../wire/wire-types.ts'
import { explainAttempt, isStale, skewText } from './cause.ts'
import { chosenAttempt } from './details.ts'

/** The sections of a delivery for the attempt with this index, from 0. */
export function deliverySections(delivery: Delivery, index: number): Readonly<Record<string, ComponentChildren>> {
  const ofAttempt = (render: OfAttemptProps['render']) => (
    <OfAttempt delivery={delivery} index={index} render={render} />
  )
  return {
    Attempts: <Attempts delivery={delivery} index={index} />,
    Request: ofAttempt((attempt) => <AttemptRequest attempt={attempt} />),
    Response: ofAttempt((attempt) => <AttemptResponse attempt={attempt} />),
    Signature: ofAttempt((attempt, signature) => <SignaturePanel attempt={attempt} signature={signature} />),
    Edit: <EditForm delivery={delivery} />,
  }
}

interface PanelProps {
  readonly delivery: Delivery
  readonly index: number
}

interface AttemptProps {
  readonly attempt: Attempt
  readonly signature: Signature
}

interface OfAttemptProps extends PanelProps {
  readonly render: (attempt: Attempt, signature: Signature) => ComponentChildren
}

function OfAttempt({ delivery, index, render }: OfAttemptProps) {
  const [attempt, signature] = [delivery.attempts[index], delivery.signatures[index]]
  if (attempt && signature) return <>{render(attempt, signature)}</>
  return (
    <p class="empty">
      {delivery.state === 'pending'
        ? 'No attempt has ended yet: it is running, a fault delays it, or it waits for its turn.'
        : 'It was never sent, because its endpoint was disabled or removed. Register the endpoint again, and replay.'}
    </p>
  )
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

/** Sends a changed delivery as a new event to the same endpoint, and opens its row when it arrives. */
function EditForm({ delivery: { event, attempts, customer, subscription } }: Pick<PanelProps, 'delivery'>) {
  const about = customer !== null && PHONE_FORM.test(customer) ? { customer } : {}
  // A fault may have changed later attempts.
  const payload = parseJson(attempts[0]?.request.body ?? '')
  return (
    <RouteForm
      title="Edit and send"
      route="POST events"
      only={['event', 'payload']}
      hint="Only this delivery is sent: no phone and no window changes."
      initial={{ event, payload }}
      send={(value) => change('POST', 'events', { ...value, subscription, ...about })}
      onDone={(answer) => {
        linkedDelivery.value = (answer as { deliveryIds: readonly string[] }).deliveryIds[0] ?? ''
      }}
    />
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

function Attempts({ delivery, index }: PanelProps) {
  const { attempts, signatures, state, id } = delivery
  return (
    <>
      <p class="line">
        {STATES[state]} <span class="muted mono">{id}</span>
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
      <OfAttempt
        delivery={delivery}
        index={index}
        render={(attempt, signature) => <Cause attempt={attempt} signature={signature} />}
      />
    </>
  )
}

/** Compares the expected and the sent signature, and shows the signed string. */
function SignaturePanel({ attempt, signature }: AttemptProps) {
  const { timestamp, sent, expected, skewSeconds } = signature
  const isSame = sent === expected
  return (
    <>
      <dl class="facts">
        <dt>Signed string</dt>
        <dd>
          <LongText text={`${timestamp}.${attempt.request.body}`} />
          <p class="muted small">The timestamp, a dot, and the exact bytes of the body.</p>
        </dd>
        <dt>Expected</dt>
        <dd>
          <code>{expected}</code>
        </dd>
        <dt>Sent</dt>
        <dd>
          <code>{sent}</code>{' '}
          <span class={`chip ${isSame ? 'good' : 'bad'}`}>{isSame ? '✓ the same' : '✕ different'}</span>
        </dd>
        <dt>Time</dt>
        <dd>
          Signed {skewText(signature)}{' '}
          <span class={`chip ${isStale(signature) ? 'bad' : 'good'}`}>
            {isStale(signature) ? '✕' : '✓'} {Math.abs(skewSeconds)} of {TIMESTAMP_TOLERANCE_SECONDS} s
          </span>
        </dd>
      </dl>
      <p class="muted small">Expected is HMAC-SHA256 of the signed string with the secret that the endpoint has now.</p>
    </>
  )
}
