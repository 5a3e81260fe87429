import type { ComponentChildren } from 'preact'

interface CheckProps {
  readonly label: string
  /** What it means, under the label. */
  readonly hint?: string
  readonly on: boolean
  readonly set: (on: boolean) => void
}

/** A switch that shows what the emulator says: it moves when the emulator has agreed. */
export function Check({ label, hint, on, set }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={on}
        onChange={({ currentTarget }) => {
          const wanted = currentTarget.checked
          currentTarget.checked = on
          set(wanted)
        }}
      />
      <span>
        {label}
        {hint !== undefined && <span class="hint">{hint}</span>}
      </span>
    </label>
  )
}

interface FieldProps {
  readonly label: ComponentChildren
  readonly value: string
  /** Is told when somebody has changed it and goes on. */
  readonly set: (value: string) => void
  readonly kind?: 'text' | 'number' | 'long'
  /** Of numbers; default: whole ones. */
  readonly step?: 'any'
  readonly hint?: string
  readonly placeholder?: string
}

/** A text that is kept as soon as one leaves it. */
export function Field({ label, value, set, kind = 'text', step, hint, placeholder }: FieldProps) {
  const keep = ({ currentTarget: field }: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
    // The browser says what is wrong with it, and it stays to be mended.
    if (field.reportValidity() && field.value !== value) set(field.value)
  }
  return (
    <label>
      {label}
      {kind === 'long' && <textarea rows={2} value={value} placeholder={placeholder} onChange={keep} />}
      {kind === 'number' && (
        <input
          type="number"
          min={0}
          step={step}
          // What it means without a number is said in its place, where it means something.
          required={placeholder === undefined}
          value={value}
          placeholder={placeholder}
          onChange={keep}
        />
      )}
      {kind === 'text' && <input value={value} placeholder={placeholder} onChange={keep} />}
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  )
}

interface ChoiceProps {
  readonly label: ComponentChildren
  readonly value: string
  readonly options: readonly (string | readonly [value: string, words: string])[]
  readonly set: (value: string) => void
}

/** One of several, which shows what the emulator says. */
export function Choice({ label, value, options, set }: ChoiceProps) {
  return (
    <label>
      {label}
      <select
        value={value}
        onChange={({ currentTarget }) => {
          const wanted = currentTarget.value
          currentTarget.value = value
          set(wanted)
        }}
      >
        {options.map((option) => {
          const [name, words] = typeof option === 'string' ? [option, option] : option
          return (
            <option key={name} value={name}>
              {words}
            </option>
          )
        })}
      </select>
    </label>
  )
}
