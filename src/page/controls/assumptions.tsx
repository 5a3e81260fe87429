import { useSignal } from '@preact/signals'
import { attempt } from '../components/messages.ts'
import { fidelity } from '../state/world.ts'
import { change } from '../wire/control.ts'
import type { Behaviour } from '../wire/types.ts'
import { SwitchField } from './assumption-switch.tsx'
import { isChanged } from './switch-value.ts'

export function AssumptionsNote() {
  const changed = fidelity.value.filter((one) => one.switch && isChanged(one.switch)).length
  return changed === 0 ? <>usual</> : <b class="warn">{changed} changed</b>
}

const SHOWN = [
  ['switches', 'What can be switched'],
  ['changed', 'What was changed'],
  ['all', 'All behaviours'],
] as const

/** Every behaviour of the emulator, how far it is the service's, and where it can be switched. */
export function Assumptions() {
  const query = useSignal('')
  const shown = useSignal<string>('switches')
  const found = fidelity.value.filter((one) => isAmong(one, shown.value) && isAbout(one, query.value))
  const changed = fidelity.value.flatMap((one) => (one.switch && isChanged(one.switch) ? [one.switch] : []))
  const back = () =>
    attempt(() => change('PUT', 'assumptions', Object.fromEntries(changed.map(({ name, usual }) => [name, usual]))))
  return (
    <>
      <p class="hint">What the specification does not show is assumed. Try your app against more than one reading.</p>
      <div class="fields">
        <input
          type="search"
          aria-label="Filter the assumptions"
          placeholder="Filter: retry, DEL-08, window …"
          value={query}
          onInput={({ currentTarget }) => (query.value = currentTarget.value)}
        />
        <select
          aria-label="Which of them"
          value={shown}
          onChange={({ currentTarget }) => (shown.value = currentTarget.value)}
        >
          {SHOWN.map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </div>
      {changed.length > 0 && (
        <button type="button" class="wide" onClick={back}>
          All back to usual
        </button>
      )}
      <ul class="behaviours">
        {found.map((one) => (
          <BehaviourRow key={one.id} of={one} />
        ))}
      </ul>
      {found.length === 0 && <p class="empty">{nothing(query.value)}</p>}
    </>
  )
}

const TONES = { spec: 'good', assumed: 'warn', emulator: 'info' } as const

function BehaviourRow({ of: { label, rule, behaviour, switch: it } }: { of: Behaviour }) {
  return (
    <li>
      <p class="labels">
        <span class={`chip ${TONES[label]}`}>{label}</span>
        <span class="muted mono">{rule}</span>
        {it && isChanged(it) && <b class="warn">changed</b>}
      </p>
      <p>{behaviour}</p>
      {it && <SwitchField of={it} />}
    </li>
  )
}

function isAmong({ switch: it }: Behaviour, shown: string): boolean {
  if (shown === 'all') return true
  return it !== undefined && (shown === 'switches' || isChanged(it))
}

function isAbout({ id, label, rule, behaviour }: Behaviour, query: string): boolean {
  const text = `${id} ${label} ${rule} ${behaviour}`.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function nothing(query: string): string {
  return query.trim() === '' ? 'Nothing was changed.' : `None is about “${query}”. All behaviours may hold more.`
}
