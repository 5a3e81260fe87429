import type { TemplateOut } from '../../contract/index.ts'
import { tellTemplateStatus } from '../events/template-status.ts'
import { type HttpRequest, refuse } from '../http/messages.ts'
import { numberByIdOrFirst } from '../service/account.ts'
import { templateOut } from '../service/list-templates.ts'
import type { State } from '../state.ts'
import { approvedCode, type CodeTemplate } from '../templates/code.ts'
import type { NewTemplate, Template } from '../templates/templates.ts'
import { changeSchema, isFindable, newTemplateSchema, type WantedTemplate } from './template-form.ts'
import { invalid, readControl } from './request.ts'

export function listAllTemplates(state: State): { items: readonly TemplateOut[] } {
  return { items: state.templates.newestFirst().map((template) => viewOf(state, template)) }
}

export function createTemplate(state: State, request: HttpRequest): TemplateOut {
  return addTemplate(state, readControl(request, newTemplateSchema))
}

export function addTemplate(state: State, wanted: WantedTemplate): TemplateOut {
  const number = numberByIdOrFirst(state.account, wanted.number)
  const { name, language, category, status, synchronised, qualityScore } = wanted
  if (state.templates.of(number.id).find(name, language))
    throw refuse(409, 'template_exists', `The template ${name} exists in ${language} already.`)
  const template = {
    number: number.id,
    name,
    language,
    category,
    status,
    synchronised,
    qualityScore,
    ...shapeOf(wanted),
  }
  return viewOf(state, state.templates.add(template, state.clock.now()))
}

function shapeOf(wanted: WantedTemplate): Pick<NewTemplate, 'components' | 'code'> {
  if (wanted.category !== 'AUTHENTICATION')
    return { components: wanted.components ?? [{ type: 'BODY' as const, text: wanted.body ?? '' }] }
  const code: CodeTemplate = {
    securityReminder: wanted.securityReminder ?? false,
    expiryMinutes: wanted.expiryMinutes ?? null,
    buttonText: wanted.buttonText ?? 'Copy code',
  }
  return { components: approvedCode(code), code }
}

/** Changes the review state and the like of a template, named by its id, or by `name` and `language`. */
export function changeTemplate(state: State, request: HttpRequest, id?: string): TemplateOut {
  const { id: given, name, language, number, ...change } = readControl(request, changeSchema)
  const named = id ?? given
  if (named === undefined && !isFindable({ name, language }))
    throw invalid('A template is named by its id, or by name and language.')
  const own = () => state.templates.of(numberByIdOrFirst(state.account, number).id)
  const found = named === undefined ? own().find(name ?? '', language ?? '') : state.templates.byId(named)
  if (found === undefined) throw refuse(404, 'not_found', 'There is no such template.')
  const previousStatus = found.status
  state.templates.change(found, change, state.clock.now())
  tellTemplateStatus(state, found, previousStatus)
  return viewOf(state, found)
}

function viewOf(state: State, template: Template): TemplateOut {
  return templateOut(template, state.assumptions)
}
