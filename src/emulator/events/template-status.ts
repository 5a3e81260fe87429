import { numberWithId } from '../service/account.ts'
import type { State } from '../state.ts'
import type { Template } from '../templates/templates.ts'
import { iso } from './event.ts'
import { publishDeclared } from './publish.ts'

/** `template.status`: a template's review state changed. Its `id` is the one that the list shows. */
export function tellTemplateStatus(state: State, template: Template, previousStatus: string): void {
  const number = numberWithId(state.account, template.number)
  if (number === undefined || template.status === previousStatus) return
  publishDeclared(
    state,
    { name: 'template.status', customer: undefined, number },
    {
      template_id: template.id,
      template_name: template.name,
      template_language: template.language,
      category: template.category,
      status: template.status,
      previous_status: previousStatus,
      occurred_at: iso(template.statusChangedAt),
    },
  )
}
