import { signal, useSignal } from '@preact/signals'
import { FAILURES_UNTIL_DISABLED } from '../../contract/delivery.ts'
import { ShownOnce } from '../../ui/components/copy.tsx'
import { confirm } from '../../ui/components/dialog.tsx'
import { runAction } from '../../ui/components/messages.ts'
import { subscriptions } from '../state/service.ts'
import { change } from '../wire/control.ts'
import type { Subscription } from '../wire/types.ts'
import { TestEvent } from './test-event.tsx'

/** Says beside the section's title how deliveries fare. */
export function EndpointNote() {
  const all = subscriptions.value
  if (all.length === 0) return <b class="warn">none</b>
  if (all.some(({ state }) => state === 'disabled')) return <b class="bad">disabled</b>
  const worst = Math.max(...all.map(({ failures }) => failures))
  if (worst > 0) return <b class="warn">{`${worst} of ${FAILURES_UNTIL_DISABLED} failed`}</b>
  return <>{all.length === 1 ? 'fine' : `${all.length} fine`}</>
}

export function EndpointSection() {
  const all = subscriptions.value
  return (
    <>
      {newSecret.value && (
        <ShownOnce
          what="The new signing secret"
          value={newSecret.value.secret}
          next={`Set SWITCHHOOK_SIGNING_SECRET to it for the app at ${newSecret.value.url}, and start that again.`}
          onDone={() => (newSecret.value = undefined)}
        />
      )}
      {all.length === 0 && (
        <p class="hint">
          No endpoint is registered, so that your app hears of nothing. Register its address here, or start the emulator
          with <code>--webhook</code>.
        </p>
      )}
      {all.map((one) => (
        <SubscriptionCard key={one.id} of={one} />
      ))}
      <RegisterForm />
      <TestEvent />
    </>
  )
}

function SubscriptionCard({ of: { id, url, state, failures } }: { of: Subscription }) {
  const isDisabled = state === 'disabled'
  const tone = isDisabled ? 'bad' : failures > 0 ? 'warn' : 'good'
  return (
    <article class="card stack">
      <header>
        <code class="address">{url}</code>
        <span class={`chip ${isDisabled ? 'bad' : 'good'}`}>{state}</span>
      </header>
      <div class={`bar ${tone}`} aria-hidden="true">
        <i style={{ width: `${(100 * Math.min(failures, FAILURES_UNTIL_DISABLED)) / FAILURES_UNTIL_DISABLED}%` }} />
      </div>
      <p class="hint">
        {failures} of {FAILURES_UNTIL_DISABLED} failures in a row
        {isDisabled && ': nothing is delivered until it is registered again'}
      </p>
      <div class="buttons">
        <button
          type="button"
          class={isDisabled ? 'primary' : ''}
          onClick={() => (isDisabled ? registerEndpoint(url) : confirmRegistration(url))}
          title="A new signing secret, and the count begins anew"
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
    text: `${url} gets a new signing secret at once. Until your app has it, it refuses all deliveries.`,
    action: 'Register again',
    run: () => registerEndpoint(url),
  })
}

function confirmRemoval(id: string, url: string): void {
  confirm({
    title: 'Remove this endpoint?',
    text: `Nothing goes to ${url} any more.`,
    action: 'Remove',
    run: () => runAction(() => change('DELETE', `subscriptions/${id}`)),
  })
}

function RegisterForm() {
  const url = useSignal('')
  return (
    <form
      class="line"
      onSubmit={(event) => {
        event.preventDefault()
        registerEndpoint(url.value.trim(), () => (url.value = ''))
      }}
    >
      <label>
        Another endpoint
        <input
          type="url"
          required
          autocomplete="off"
          placeholder="http://127.0.0.1:3000/webhooks/messages"
          value={url}
          onInput={(event) => (url.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit">Register</button>
    </form>
  )
}

/** The secret of the endpoint that was registered last, shown once. */
const newSecret = signal<{ readonly url: string; readonly secret: string } | undefined>(undefined)

/** Registers an address; a known one gets a new secret. `onDone` is called if the emulator accepts. */
function registerEndpoint(url: string, onDone?: () => void): void {
  runAction(async () => {
    const { secret } = await change<Subscription & { readonly secret: string }>('POST', 'subscriptions', { url })
    newSecret.value = { url, secret }
    onDone?.()
  })
}
