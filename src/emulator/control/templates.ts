import { z } from 'zod'
import type { TemplateOut } from '../../contract/index.ts'
import { type HttpRequest, refuse } from '../http/messages.ts'
import { templateOut } from '../service/list-templates.ts'
import type { State } from '../state.ts'
import { unsendableReason } from '../templates/sendable.ts'
import { approvedComponentSchema } from '../templates/shape.ts'
import type { Template } from '../templates/templates.ts'
import { invalid, readControl } from './request.ts'

const status = z
  .string()
  .regex(/^[A-Za-z_]{1,40}$/, 'must be a review state such as APPROVED or PAUSED')
  .toUpperCase()

export const newTemplateSchema = z
  .strictObject({
    name: z.string().regex(/^\S{1,512}$/, 'must be a name without spaces'),
    language: z.string().regex(/^[A-Za-z]{2,3}([_-]\w+)*$/, 'must be a language code such as sw or en_US'),
    /** The short form of one body component. */
    body: z.string().min(1).optional(),
    components: z.array(approvedComponentSchema).min(1).optional(),
    category: z.enum(['UTILITY', 'MARKETING']).default('UTILITY'),
    status: status.default('APPROVED'),
  })
  .refine((it) => (it.body === undefined) !== (it.components === undefined), 'needs either body or components')

const changeSchema = z.strictObject({
  id: z.string().optional(),
  name: z.string().optional(),
  language: z.string().optional(),
  status,
})

export function listAllTemplates(state: State): { items: readonly TemplateOut[] } {
  return { items: state.templates.newestFirst().map((template) => viewOf(state, template)) }
}

export function createTemplate(state: State, request: HttpRequest): TemplateOut {
  return addTemplate(state, readControl(request, newTemplateSchema))
}

export function addTemplate(state: State, wanted: z.output<typeof newTemplateSchema>): TemplateOut {
  const { body, components, ...template } = wanted
  if (state.templates.find(template.name, template.language))
    throw refuse(409, 'template_exists', `The template ${template.name} exists in ${template.language} already.`)
  const shape = components ?? [{ type: 'BODY' as const, text: body ?? '' }]
  return viewOf(state, state.templates.add({ ...template, components: shape }, state.clock.now()))
}

/** Changes the review state of a template, named by its id, or by `name` and `language`. */
export function changeTemplate(state: State, request: HttpRequest, id?: string): TemplateOut {
  const change = readControl(request, changeSchema)
  const named = id ?? change.id
  if (named === undefined && (change.name === undefined || change.language === undefined))
    throw invalid('A template is named by its id, or by name and language.')
  const found =
    named === undefined ? state.templates.find(change.name ?? '', change.language ?? '') : state.templates.byId(named)
  if (found === undefined) throw refuse(404, 'not_found', 'There is no such template.')
  state.templates.setStatus(found, change.status, state.clock.now())
  return viewOf(state, found)
}

function viewOf(state: State, template: Template): TemplateOut {
  return templateOut(template, unsendableReason(template, state.assumptions))
}
