import { useSignal } from '@preact/signals'
import { Choice } from '../components/fields.tsx'
import { attempt } from '../components/messages.ts'
import { change } from '../wire/control.ts'
import type { Switch } from '../wire/types.ts'
import { isChanged, kindOf, readValue, writtenValue } from './switch-value.ts'

/** One assumption, as it is set now. */
export function SwitchField({ of: it }: { of: Switch }) {
  const isWrong = useSignal(false)
  const set = (text: string) => {
    const value = readValue(text, it)
    isWrong.value = value === undefined
    if (value !== undefined) put(it.name, value)
  }
  return (
    <div class="switch">
      {typeof it.values === 'string' ? (
        <label>
          {it.name}
          <input
            key={writtenValue(it.current)}
            class="mono"
            inputMode={kindOf(it) === 'number' ? 'numeric' : 'text'}
            spellcheck={false}
            defaultValue={writtenValue(it.current)}
            aria-invalid={isWrong.value}
            onChange={({ currentTarget }) => set(currentTarget.value)}
          />
          <span class={isWrong.value ? 'wrong' : 'hint'}>{it.values}</span>
        </label>
      ) : (
        <Choice label={it.name} value={String(it.current)} options={it.values.map(String)} set={set} />
      )}
      {isChanged(it) && (
        <button type="button" class="quiet" onClick={() => put(it.name, it.usual)}>
          Back to {writtenValue(it.usual)}
        </button>
      )}
    </div>
  )
}

function put(name: string, value: unknown): void {
  attempt(() => change('PUT', 'assumptions', { [name]: value }))
}
