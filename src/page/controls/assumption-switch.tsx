import { useSignal } from '@preact/signals'
import { Select } from '../../ui/components/fields.tsx'
import { runAction } from '../../ui/components/messages.ts'
import { change } from '../wire/control.ts'
import type { Switch } from '../wire/types.ts'
import { fieldKind, formatValue, isChanged, parseValue } from './switch-value.ts'

export function AssumptionSwitch({ of: assumption }: { of: Switch }) {
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
