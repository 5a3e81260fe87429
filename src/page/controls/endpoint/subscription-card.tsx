import { FAILURES_UNTIL_DISABLED } from '../../../contract/limits.ts'
import type { Subscription } from '../../wire/types.ts'
import { ask } from '../ask.tsx'
import { register, unsubscribe } from './subscribe.ts'

/** One registered endpoint and how it fares. */
export function SubscriptionCard({ of: { id, url, state, failures } }: { of: Subscription }) {
  const isDisabled = state === 'disabled'
  const tone = isDisabled ? 'bad' : failures > 0 ? 'warn' : 'good'
  return (
    <article class="card">
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
          onClick={() => (isDisabled ? register(url) : askToRegister(url))}
          title="A new signing secret, and the count begins anew"
        >
          Register again
        </button>
        <button type="button" onClick={() => askToRemove(id, url)}>
          Remove
        </button>
      </div>
    </article>
  )
}

function askToRegister(url: string): void {
  ask({
    title: 'Register it again?',
    text: `${url} gets a new signing secret at once. Until your app has it, it refuses all deliveries.`,
    does: 'Register again',
    run: () => register(url),
  })
}

function askToRemove(id: string, url: string): void {
  ask({
    title: 'Remove this endpoint?',
    text: `Nothing goes to ${url} any more.`,
    does: 'Remove',
    run: () => unsubscribe(id),
  })
}
