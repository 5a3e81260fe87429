import { attempt } from '../../state/notice.ts'
import { templates } from '../../state/world.ts'
import { change } from '../../wire/control.ts'
import type { ListedTemplate } from '../../wire/types.ts'
import { AddTemplate } from './add-template.tsx'

export function TemplatesNote() {
  const count = templates.value.length
  return count === 0 ? <>none</> : <>{count}</>
}

/** Those of the review that the specification names; another one stays as it is. */
const STATUSES = ['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'ARCHIVED', 'FLAGGED', 'LOCKED']

/** What the dashboard has of templates: the API alone reads them. */
export function TemplatesPart() {
  const all = templates.value
  return (
    <>
      {all.length === 0 && (
        <p class="hint">
          There is none. Outside the window templates alone reach a customer: add the one that your app sends.
        </p>
      )}
      <ul class="templates">
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
    <li class="card">
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
            attempt(() => change('PATCH', `templates/${id}`, { status: wanted }))
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
