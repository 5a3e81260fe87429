import { useSignal } from '@preact/signals'
import { Select } from '../../ui/components/fields.tsx'
import { runAction, toast } from '../../ui/components/messages.ts'
import { templates } from '../state/service.ts'
import { change } from '../wire/control.ts'
import type { ListedTemplate } from '../wire/types.ts'

/** Counts the templates beside the section's title. */
export function TemplatesNote() {
  const count = templates.value.length
  return count === 0 ? <>none</> : <>{count}</>
}

/** The review states that the specification names; a template may also have another one. */
const STATUSES = ['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'ARCHIVED', 'FLAGGED', 'LOCKED']

/** The templates, as the dashboard manages them: the API can only read them. */
export function TemplatesSection() {
  const all = templates.value
  return (
    <>
      {all.length === 0 && (
        <p class="hint">
          There is none. Outside the window templates alone reach a customer: add the one that your app sends.
        </p>
      )}
      <ul class="stack">
        {all.map((template) => (
          <TemplateRow key={template.id} of={template} />
        ))}
      </ul>
      <AddTemplate />
    </>
  )
}

function TemplateRow({ of: template }: { of: ListedTemplate }) {
  const { id, name, language, category, status } = template
  const statuses = STATUSES.includes(status) ? STATUSES : [status, ...STATUSES]
  return (
    <li class="card stack">
      <p>
        <b class="address">{name}</b>{' '}
        <span class="muted">
          {language} · {category.toLowerCase()}
        </span>
      </p>
      <p class="hint" dir="auto">
        {bodyOf(template)}
      </p>
      <div class="line">
        <select
          aria-label={`Status of ${name} in ${language}`}
          value={status}
          onChange={({ currentTarget }) => {
            const wanted = currentTarget.value
            currentTarget.value = status
            runAction(() => change('PATCH', `templates/${id}`, { status: wanted }))
          }}
        >
          {statuses.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <span class={`chip ${template.sendable ? 'good' : 'bad'}`}>
          {template.sendable ? 'sendable' : 'not sendable'}
        </span>
      </div>
    </li>
  )
}

function bodyOf({ components }: ListedTemplate): string {
  return components.find(({ type }) => type === 'BODY')?.text ?? ''
}

const CATEGORIES = [
  ['UTILITY', 'Utility'],
  ['MARKETING', 'Marketing'],
  ['AUTHENTICATION', 'One-time code'],
] as const

function AddTemplate() {
  const category = useSignal<string>('UTILITY')
  const isCode = category.value === 'AUTHENTICATION'
  const add = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const fields = Object.fromEntries(new FormData(form)) as Record<string, string>
    runAction(async () => {
      await change('POST', 'templates', { ...fields, category: category.value })
      toast.value = `${fields['name']} was added.`
      form.reset()
    })
  }
  return (
    <details class="more">
      <summary>Add a template</summary>
      <form class="stack" onSubmit={add}>
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
          <Select
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
