import type { TemplateComponent } from '../../contract/index.ts'
import { Refusal } from '../http/messages.ts'
import type { Assumptions } from '../model/assumptions.ts'
import { fillTemplate, ParameterMismatch, type RenderedTemplate } from '../model/fill-template.ts'
import { codeLifeMs } from '../model/template-shape.ts'
import { type Template, type Templates, unsendableReason } from '../model/templates.ts'
import type { OnCheck } from './checks.ts'
import { codeComponents, readCode } from './one-time-code.ts'
import { apiRefusal, codelessRefusal } from './refusals.ts'
import type { Send } from './validation.ts'

export interface FilledTemplate extends RenderedTemplate {
  readonly components: readonly TemplateComponent[]
  readonly code?: { readonly clear: string; readonly lifeMs: number }
}

/** Finds and fills the template of a send, or refuses the send (SEND-11, SEND-13 to SEND-15). */
export function fillSend(send: Send, templates: Templates, assumptions: Assumptions, onCheck: OnCheck): FilledTemplate {
  onCheck('template')
  const template = findTemplate(send.template_name ?? '', send.template_language ?? '', templates)
  try {
    const reason = unsendableReason(template, assumptions)
    if (reason !== null) throw apiRefusal('invalid_template', reason)
    onCheck('parameters')
    return fill(template, send.template_components ?? [])
  } catch (error) {
    const upstreamJudges = !template.synchronised && assumptions.unsynchronisedRefusal === '502'
    if (upstreamJudges && error instanceof Refusal && error.status === 400)
      throw apiRefusal('send_failed', `The chat platform refused the template: ${error.message}`)
    throw error
  }
}

function findTemplate(name: string, language: string, templates: Templates): Template {
  const found = templates.find(name, language)
  if (found !== undefined) return found
  const languages = templates.languagesOf(name)
  if (languages.length === 0)
    throw apiRefusal('template_not_found', `There is no template ${name} on the number's account.`)
  throw apiRefusal(
    'invalid_template',
    `The template ${name} does not exist in ${language}; it exists in ${languages.join(', ')}.`,
  )
}

function fill(template: Template, sent: readonly TemplateComponent[]): FilledTemplate {
  if (template.code) {
    const clear = readCode(sent)
    const components = codeComponents(clear)
    return { ...fillTemplate(template, components), components, code: { clear, lifeMs: codeLifeMs(template.code) } }
  }
  try {
    return { ...fillTemplate(template, sent), components: sent }
  } catch (error) {
    if (error instanceof ParameterMismatch) throw codelessRefusal(error.message)
    throw error
  }
}
