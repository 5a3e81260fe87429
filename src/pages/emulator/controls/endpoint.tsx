import { EVENTS, FAILURES_UNTIL_DISABLED } from '../../../service/delivery.ts'
import { confirm } from '../../ui/components/dialog.tsx'
import { runAction } from '../../ui/components/messages.ts'
import { subscriptions } from '../state/service.ts'
import { customer } from '../state/view.ts'
import { change } from '../wire/control.ts'
import type { Subscription } from '../wire/wire-types.ts'
import { RouteForm } from '../form.tsx'
import { showSecret } from './settings.tsx'

export function EndpointSection() {
  const all = subscriptions.value
  return (
    <>
      {all.length === 0 && (
        <p class="hint">
          No endpoint is registered, so your app receives nothing. Register its address, or start the emulator with{' '}
          <code>--webhook</code>.
        </p>
      )}
      {all.map((one) => (
        <SubscriptionCard key={one.id} of={one} />
      ))}
      <RouteForm title="Register an endpoint" route="POST subscriptions" onDone={showSigningSecret} />
      <RouteForm
        title="Send an event"
        route="POST events"
        hint={`Without a payload, an example of the event is sent. Nothing else changes: no phone and no window. Events: ${Object.keys(EVENTS).join(', ')}, and any other.`}
        initial={{ event: 'message.received', customer: customer.value }}
      />
    </>
  )
}

function SubscriptionCard({ of: { id, url, state, failures } }: { of: Subscription }) {
  const isDisabled = state === 'disabled'
  return (
    <article class="card stack">
      <header class="line">
        <code>{url}</code>
        <span class={`chip ${isDisabled ? 'bad' : 'good'}`}>{state}</span>
      </header>
      <p class="hint">
        {failures} of {FAILURES_UNTIL_DISABLED} failures in a row
        {isDisabled && ': nothing is delivered until you register it again'}
      </p>
      <div class="line">
        <button
          type="button"
          class={isDisabled ? 'primary' : ''}
          onClick={() => (isDisabled ? registerAgain(url) : confirmRegistration(url))}
          title="A new signing secret, and the count starts again"
        >
          Register again
        </button>
        <button type="button" onClick={() => confirmRemoval(id, url)}>
          Remove
        </button>
      </div>
    </article>
  )
}

function confirmRegistration(url: string): void {
  confirm({
    title: 'Register it again?',
    text: `${url} gets a new signing secret at once. Until your app has it, the app refuses all deliveries.`,
    action: 'Register again',
    run: () => registerAgain(url),
  })
}

function confirmRemoval(id: string, url: string): void {
  confirm({
    title: 'Remove this endpoint?',
    text: `Nothing more is delivered to ${url}.`,
    action: 'Remove',
    run: () => runAction(() => change('DELETE', `subscriptions/${id}`)),
  })
}

function registerAgain(url: string): void {
  runAction(async () => showSigningSecret(await change('POST', 'subscriptions', { url })))
}

function showSigningSecret(answer: unknown): void {
  const { url, secret } = answer as Subscription & { readonly secret: string }
  showSecret(
    'The new signing secret',
    secret,
    `Set SWITCHHOOK_SIGNING_SECRET to it for the app at ${url}, and restart the app.`,
  )
}
