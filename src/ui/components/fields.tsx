import type { ComponentChildren } from 'preact'

interface CheckboxProps {
  readonly label: string
  /** An explanation under the label. */
  readonly hint?: string
  readonly on: boolean
  readonly set: (on: boolean) => void
}

/** A checkbox that shows the emulator's state: it changes only after the emulator has accepted the change. */
export function Checkbox({ label, hint, on, set }: CheckboxProps) {
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
  /** Called with the new text when the user leaves the field. */
  readonly set: (value: string) => void
  readonly kind?: 'text' | 'number' | 'long'
  /** For numbers; whole numbers by default. */
  readonly step?: 'any'
  readonly hint?: string
  readonly placeholder?: string
}

/** A text field that saves when the user leaves it. */
export function Field({ label, value, set, kind = 'text', step, hint, placeholder }: FieldProps) {
  const save = ({ currentTarget: field }: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
    // The browser explains an invalid value, and the field keeps it to be corrected.
    if (field.reportValidity() && field.value !== value) set(field.value)
  }
  return (
    <label>
      {label}
      {kind === 'long' && <textarea rows={2} value={value} placeholder={placeholder} onChange={save} />}
      {kind === 'number' && (
        <input
          type="number"
          min={0}
          step={step}
          // A placeholder says what an empty field means; without one the field needs a number.
          required={placeholder === undefined}
          value={value}
          placeholder={placeholder}
          onChange={save}
        />
      )}
      {kind === 'text' && <input value={value} placeholder={placeholder} onChange={save} />}
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  )
}

interface SelectProps {
  readonly label: ComponentChildren
  readonly value: string
  readonly options: readonly (string | readonly [value: string, label: string])[]
  readonly set: (value: string) => void
}

/** A select that shows the emulator's state, like the checkbox. */
export function Select({ label, value, options, set }: SelectProps) {
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
          const [name, text] = typeof option === 'string' ? [option, option] : option
          return (
            <option key={name} value={name}>
              {text}
            </option>
          )
        })}
      </select>
    </label>
  )
}
