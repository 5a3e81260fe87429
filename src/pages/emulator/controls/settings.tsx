import { copyText } from '../../ui/components/copy.ts'
import { confirm } from '../../ui/components/dialog.tsx'
import { DEFAULT_HANDSET } from '../state/customer-list.ts'
import { selectedCustomer } from '../state/selected-customer.ts'
import { account, agent, assumptions, moveClock, offsetMs, resetClock, templates } from '../state/service.ts'
import { customer } from '../state/view.ts'
import { change } from '../wire/control.ts'
import type { Account, ListedTemplate } from '../wire/wire-types.ts'
import { RouteForm } from '../form.tsx'

export function TimeSection() {
  return (
    <>
      <div class="line">
        <button type="button" onClick={() => moveClock('1h')} title="Move the clock by an hour">
          +1 h
        </button>
        <button type="button" onClick={() => moveClock('24h')} title="Move the clock by 24 hours">
          +24 h
        </button>
        <button type="button" disabled={offsetMs.value === 0} onClick={resetClock}>
          Reset
        </button>
      </div>
      <RouteForm
        title="Set the clock"
        route="POST clock"
        only={['advance', 'now']}
        hint="Advance by a span such as 90m, or set a time such as 2026-03-04T09:00:00Z."
        send={(value) => change('POST', 'clock', { ...value, tellApp: true })}
      />
    </>
  )
}

export function AgentSection() {
  const digits = customer.value
  return (
    <>
      <RouteForm
        title="Settings"
        route="PUT agent"
        hint="A send pauses the agent for that customer, who resumes it with BOT."
        current={agent.value}
      />
      <RouteForm
        title="Answer as a person in the dashboard"
        route="POST customers/:digits/replies"
        path={`customers/${digits}/replies`}
      />
    </>
  )
}

export function AccountSection() {
  const [current, digits] = [account.value, customer.value]
  if (current === undefined) return <p class="hint">Not read yet.</p>
  const [first] = current.numbers
  return (
    <>
      <RouteForm
        title={`Handset of ${digits}`}
        route="PUT customers/:digits/handset"
        path={`customers/${digits}/handset`}
        current={selectedCustomer.value?.handset ?? DEFAULT_HANDSET}
      />
      <RouteForm
        title="Account"
        route="PUT account"
        only={['plan', 'suspended', 'callbackOverride', 'takeoverWindow']}
        hint="A send pauses the agent for the takeover window: milliseconds, or a span such as 30m."
        current={{ ...current, callbackOverride: first?.callbackOverride, takeoverWindow: first?.takeoverWindowMs }}
      />
      <RouteForm title="Numbers" route="PUT account" only={['numbers']} current={{ numbers: current.numbers }} />
      <RouteForm
        title="Rotate a token"
        route="PUT account"
        only={['rotate']}
        hint="The old token becomes invalid at once: your app gets 401 until it has the new one."
        initial={{ rotate: first?.id }}
        send={rotateToken}
      />
    </>
  )
}

async function rotateToken(rotation: { readonly rotate?: string }): Promise<void> {
  const { numbers } = await change<Account>('PUT', 'account', rotation)
  const rotated = numbers.find(({ id }) => id === rotation.rotate) ?? numbers[0]
  const next = 'Set SWITCHHOOK_ACCESS_TOKEN to it, and restart your app.'
  showSecret('The new access token', rotated?.accessToken ?? '', next)
}

export function TemplatesSection() {
  return (
    <>
      {templates.value.map((template) => (
        <TemplateCard key={template.id} of={template} />
      ))}
      <RouteForm
        title="Add a template"
        route="POST templates"
        only={['name', 'language', 'category', 'body']}
        initial={{ language: 'en', category: 'UTILITY' }}
      />
    </>
  )
}

function TemplateCard({ of: { id, name, language, category, status, sendable, components } }: { of: ListedTemplate }) {
  return (
    <article class="card stack">
      <header class="line">
        <b>{name}</b>
        <span class={`chip ${sendable ? 'good' : 'bad'}`}>{sendable ? 'sendable' : 'not sendable'}</span>
      </header>
      <p class="hint" dir="auto">
        {components.find(({ type }) => type === 'BODY')?.text}
      </p>
      <RouteForm
        title={`${language} · ${category.toLowerCase()}`}
        route="PATCH templates/:id"
        path={`templates/${id}`}
        only={['status']}
        current={{ status }}
        hint="APPROVED, PENDING, REJECTED, PAUSED, DISABLED, ARCHIVED, FLAGGED or LOCKED"
      />
    </article>
  )
}

export function AssumptionsSection() {
  return (
    <RouteForm
      title="Switches"
      route="PUT assumptions"
      hint="The specification leaves these open. Try your app against more than one reading."
      current={assumptions.value}
    />
  )
}

/** Shows a new secret until the user closes the dialog: the emulator shows it only once. */
export function showSecret(what: string, secret: string, next: string): void {
  confirm({
    title: what,
    text: (
      <>
        <p>It is shown only once.</p>
        <code>{secret}</code>
        <p>{next}</p>
      </>
    ),
    action: 'Copy',
    tone: 'primary',
    run: () => copyText(secret, what),
  })
}
