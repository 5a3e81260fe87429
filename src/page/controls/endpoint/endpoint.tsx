import { FAILURES_UNTIL_DISABLED } from '../../../contract/limits.ts'
import { subscriptions } from '../../state/world.ts'
import { ShownOnce } from '../shown-once.tsx'
import { RegisterForm } from './register-form.tsx'
import { newSecret } from './subscribe.ts'
import { SubscriptionCard } from './subscription-card.tsx'
import { TestEvent } from './test-event.tsx'

export function EndpointNote() {
  const all = subscriptions.value
  if (all.length === 0) return <b class="warn">none</b>
  if (all.some(({ state }) => state === 'disabled')) return <b class="bad">disabled</b>
  const worst = Math.max(...all.map(({ failures }) => failures))
  if (worst > 0) return <b class="warn">{`${worst} of ${FAILURES_UNTIL_DISABLED} failed`}</b>
  return <>{all.length === 1 ? 'fine' : `${all.length} fine`}</>
}

/** Where deliveries go. */
export function Endpoint() {
  const all = subscriptions.value
  return (
    <>
      {newSecret.value && (
        <ShownOnce
          what="The new signing secret"
          value={newSecret.value.secret}
          next={`Set SWITCHHOOK_SIGNING_SECRET to it for the app at ${newSecret.value.url}, and start that again.`}
          put={() => (newSecret.value = undefined)}
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
