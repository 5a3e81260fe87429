import { Check, Field } from '../components/fields.tsx'
import { attempt } from '../components/messages.ts'
import { writeAs } from '../state/customers.ts'
import { openPause } from '../state/open-customer.ts'
import { customer } from '../state/view.ts'
import { account, agent } from '../state/world.ts'
import { timeOfDay } from '../text/time.ts'
import { change } from '../wire/control.ts'

export function AgentNote() {
  return agent.value?.on ? <b class="good">on</b> : <>off</>
}

const set = (settings: object) => attempt(() => change('PUT', 'agent', settings))

const MINUTE = 60_000

/** The service's own AI agent, as a stub that answers the same to everybody. */
export function AgentPart() {
  const it = agent.value
  if (it === undefined) return <p class="hint">Not read yet.</p>
  return (
    <>
      <Check
        label="The number has an AI agent"
        hint="It answers every customer until a send of your app pauses it."
        on={it.on}
        set={(on) => set({ on })}
      />
      <Pause />
      <Check
        label="It answers first"
        hint="Before your app hears of the message, as the real one can."
        on={it.answersFirst}
        set={(answersFirst) => set({ answersFirst })}
      />
      <div class="fields">
        <Field
          label="It thinks for (ms)"
          kind="number"
          value={String(it.answersAfterMs)}
          set={(text) => set({ answersAfterMs: Number(text) })}
        />
        <Field label="It says" kind="long" value={it.says} set={(says) => set({ says })} />
        <Field
          label="It hands over on"
          hint="Words with commas between them: who writes one is handed to a person."
          value={it.handsOverOn.join(', ')}
          set={(text) => set({ handsOverOn: wordsOf(text) })}
        />
        <TakeoverWindow />
      </div>
    </>
  )
}

/** Whether it is silent for the open customer, and how to wake it. */
function Pause() {
  const pause = openPause.value
  if (!agent.value?.on || pause === undefined) return null
  return (
    <div class="card">
      <p>
        Paused for {customer.value} until <b>{timeOfDay(pause.until)}</b>.
      </p>
      <div class="buttons">
        <button type="button" onClick={() => writeAs(customer.value, { text: 'BOT', number: pause.number })}>
          Wake it: write BOT
        </button>
      </div>
    </div>
  )
}

/** How long a send of the app's, or a person's reply, pauses it; null: nothing pauses it. */
function TakeoverWindow() {
  const windowMs = account.value?.numbers[0]?.takeoverWindowMs
  if (windowMs === undefined) return null
  const keep = (takeoverWindow: number | null) => attempt(() => change('PUT', 'account', { takeoverWindow }))
  return (
    <>
      <Check
        label="Human takeover"
        hint="Off: nothing pauses it, and it talks over your app."
        on={windowMs !== null}
        set={(on) => keep(on ? 30 * MINUTE : null)}
      />
      {windowMs !== null && (
        <Field
          label="A send pauses it for (minutes)"
          kind="number"
          step="any"
          value={String(windowMs / MINUTE)}
          set={(text) => keep(Number(text) * MINUTE)}
        />
      )}
    </>
  )
}

function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
