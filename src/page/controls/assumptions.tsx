import { useSignal } from '@preact/signals'
import { runAction } from '../../ui/components/messages.ts'
import { Select } from '../../ui/components/fields.tsx'
import { behaviours } from '../state/service.ts'
import { change } from '../wire/control.ts'
import type { Behaviour, Switch } from '../wire/types.ts'
import { fieldKind, formatValue, isChanged, parseValue } from './switch-value.ts'

/** Counts the changed assumptions beside the section's title. */
export function AssumptionsNote() {
  const changed = behaviours.value.filter((one) => one.switch && isChanged(one.switch)).length
  return changed === 0 ? <>usual</> : <b class="warn">{changed} changed</b>
}

const SELECTIONS = [
  ['switches', 'What can be switched'],
  ['changed', 'What was changed'],
  ['all', 'All behaviours'],
] as const

/** Lists the emulator's behaviours with their labels, and the switches of those that are assumed. */
export function AssumptionsSection() {
  const query = useSignal('')
  const selection = useSignal<string>('switches')
  const found = behaviours.value.filter((one) => isSelected(one, selection.value) && matches(one, query.value))
  const changed = behaviours.value.flatMap((one) => (one.switch && isChanged(one.switch) ? [one.switch] : []))
  const resetAll = () =>
    runAction(() => change('PUT', 'assumptions', Object.fromEntries(changed.map(({ name, usual }) => [name, usual]))))
  return (
    <>
      <p class="hint">What the specification does not show is assumed. Try your app against more than one reading.</p>
      <div class="stack">
        <input
          type="search"
          aria-label="Filter the assumptions"
          placeholder="Filter: retry, DEL-08, window …"
          value={query}
          onInput={({ currentTarget }) => (query.value = currentTarget.value)}
        />
        <select
          aria-label="Which of them"
          value={selection}
          onChange={({ currentTarget }) => (selection.value = currentTarget.value)}
        >
          {SELECTIONS.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {changed.length > 0 && (
        <button type="button" class="wide" onClick={resetAll}>
          All back to usual
        </button>
      )}
      <ul class="behaviours stack">
        {found.map((one) => (
          <BehaviourRow key={one.id} of={one} />
        ))}
      </ul>
      {found.length === 0 && <p class="empty">{emptyText(query.value)}</p>}
    </>
  )
}

const TONES = { spec: 'good', assumed: 'warn', emulator: 'info' } as const

function BehaviourRow({ of: { label, rule, behaviour, switch: assumption } }: { of: Behaviour }) {
  return (
    <li class="stack">
      <p class="labels">
        <span class={`chip ${TONES[label]}`}>{label}</span>
        <span class="muted mono">{rule}</span>
        {assumption && isChanged(assumption) && <b class="warn">changed</b>}
      </p>
      <p>{behaviour}</p>
      {assumption && <AssumptionSwitch of={assumption} />}
    </li>
  )
}

function isSelected({ switch: assumption }: Behaviour, selection: string): boolean {
  if (selection === 'all') return true
  return assumption !== undefined && (selection === 'switches' || isChanged(assumption))
}

function matches({ id, label, rule, behaviour }: Behaviour, query: string): boolean {
  const text = `${id} ${label} ${rule} ${behaviour}`.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function emptyText(query: string): string {
  return query.trim() === '' ? 'Nothing was changed.' : `None is about “${query}”. All behaviours may hold more.`
}

function AssumptionSwitch({ of: assumption }: { of: Switch }) {
  const isWrong = useSignal(false)
  const set = (text: string) => {
    const value = parseValue(text, assumption)
    isWrong.value = value === undefined
    if (value !== undefined) setAssumption(assumption.name, value)
  }
  return (
    <div class="switch stack">
      {typeof assumption.values === 'string' ? (
        <label>
          {assumption.name}
          <input
            key={formatValue(assumption.current)}
            class="mono"
            inputMode={fieldKind(assumption) === 'number' ? 'numeric' : 'text'}
            spellcheck={false}
            defaultValue={formatValue(assumption.current)}
            aria-invalid={isWrong.value}
            onChange={({ currentTarget }) => set(currentTarget.value)}
          />
          <span class={isWrong.value ? 'wrong' : 'hint'}>{assumption.values}</span>
        </label>
      ) : (
        <Select
          label={assumption.name}
          value={String(assumption.current)}
          options={assumption.values.map(String)}
          set={set}
        />
      )}
      {isChanged(assumption) && (
        <button type="button" class="quiet" onClick={() => setAssumption(assumption.name, assumption.usual)}>
          Back to {formatValue(assumption.usual)}
        </button>
      )}
    </div>
  )
}

function setAssumption(name: string, value: unknown): void {
  runAction(() => change('PUT', 'assumptions', { [name]: value }))
}
