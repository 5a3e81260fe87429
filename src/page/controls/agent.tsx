import { Checkbox, Field } from '../../ui/components/fields.tsx'
import { runAction } from '../../ui/components/messages.ts'
import { sendAsCustomer } from '../state/customers.ts'
import { selectedPause } from '../state/selected-customer.ts'
import { account, agent } from '../state/service.ts'
import { customer } from '../state/view.ts'
import { formatTime } from '../../ui/text/time.ts'
import { change } from '../wire/control.ts'

/** Says beside the section's title if the agent is on. */
export function AgentNote() {
  return agent.value?.on ? <b class="good">on</b> : <>off</>
}

const changeAgent = (settings: object) => runAction(() => change('PUT', 'agent', settings))

const MINUTE = 60_000

/** The settings of the service's AI agent, a stub that gives everybody the same answer. */
export function AgentSection() {
  const settings = agent.value
  if (settings === undefined) return <p class="hint">Not read yet.</p>
  return (
    <>
      <Checkbox
        label="The number has an AI agent"
        hint="It answers every customer until a send of your app pauses it."
        on={settings.on}
        set={(on) => changeAgent({ on })}
      />
      <AgentPause />
      <Checkbox
        label="It answers first"
        hint="Before your app hears of the message, as the real one can."
        on={settings.answersFirst}
        set={(answersFirst) => changeAgent({ answersFirst })}
      />
      <div class="stack">
        <Field
          label="It thinks for (ms)"
          kind="number"
          value={String(settings.answersAfterMs)}
          set={(text) => changeAgent({ answersAfterMs: Number(text) })}
        />
        <Field label="It says" kind="long" value={settings.says} set={(says) => changeAgent({ says })} />
        <Field
          label="It hands over on"
          hint="Words with commas between them: who writes one is handed to a person."
          value={settings.handsOverOn.join(', ')}
          set={(text) => changeAgent({ handsOverOn: splitWords(text) })}
        />
        <TakeoverWindow />
      </div>
    </>
  )
}

/** Shows the agent's pause for the selected customer, with a button that ends it. */
function AgentPause() {
  const pause = selectedPause.value
  if (!agent.value?.on || pause === undefined) return null
  return (
    <div class="card stack">
      <p>
        Paused for {customer.value} until <b>{formatTime(pause.until)}</b>.
      </p>
      <div class="buttons">
        <button type="button" onClick={() => sendAsCustomer(customer.value, { text: 'BOT', number: pause.number })}>
          Wake it: write BOT
        </button>
      </div>
    </div>
  )
}

/** Sets how long a send of the app or a person's reply pauses the agent; off means that nothing pauses it. */
function TakeoverWindow() {
  const windowMs = account.value?.numbers[0]?.takeoverWindowMs
  if (windowMs === undefined) return null
  const save = (takeoverWindow: number | null) => runAction(() => change('PUT', 'account', { takeoverWindow }))
  return (
    <>
      <Checkbox
        label="Human takeover"
        hint="Off: nothing pauses it, and it talks over your app."
        on={windowMs !== null}
        set={(on) => save(on ? 30 * MINUTE : null)}
      />
      {windowMs !== null && (
        <Field
          label="A send pauses it for (minutes)"
          kind="number"
          step="any"
          value={String(windowMs / MINUTE)}
          set={(text) => save(Number(text) * MINUTE)}
        />
      )}
    </>
  )
}

function splitWords(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
