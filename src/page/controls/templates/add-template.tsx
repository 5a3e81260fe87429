import { useSignal } from '@preact/signals'
import { attempt } from '../../state/notice.ts'
import { said } from '../../state/said.ts'
import { change } from '../../wire/control.ts'
import { Choice } from '../fields.tsx'

const CATEGORIES = [
  ['UTILITY', 'Utility'],
  ['MARKETING', 'Marketing'],
  ['AUTHENTICATION', 'One-time code'],
] as const

/** Makes a template that is approved at once. */
export function AddTemplate() {
  const category = useSignal<string>('UTILITY')
  const isCode = category.value === 'AUTHENTICATION'
  const add = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const given = Object.fromEntries(new FormData(form)) as Record<string, string>
    attempt(async () => {
      await change('POST', 'templates', { ...given, category: category.value })
      said.value = `${given['name']} was added.`
      form.reset()
    })
  }
  return (
    <details class="more">
      <summary>Add a template</summary>
      <form class="fields" onSubmit={add}>
        <label>
          Name
          <input
            name="name"
            required
            pattern="\S+"
            title="Without spaces"
            autocomplete="off"
            placeholder="order_ready"
          />
        </label>
        <div class="line">
          <label>
            Language
            <input name="language" required autocomplete="off" defaultValue="en" />
          </label>
          <Choice
            label="Category"
            value={category.value}
            options={CATEGORIES}
            set={(value) => (category.value = value)}
          />
        </div>
        {isCode ? (
          <p class="hint">The text and the copy-code button are the upstream platform's own.</p>
        ) : (
          <label>
            Body
            <textarea name="body" required rows={3} placeholder="Order {{1}} is ready." />
          </label>
        )}
        <div class="buttons">
          <button type="submit" class="primary">
            Add
          </button>
        </div>
      </form>
    </details>
  )
}
