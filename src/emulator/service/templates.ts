import type { State } from '../state.ts'
import { fillTemplate, ParameterMismatch, type RenderedTemplate } from '../templates/parameters.ts'
import { unsendableReason } from '../templates/sendable.ts'
import { apiRefusal, codelessRefusal } from './refusals.ts'
import type { Send } from './validation.ts'

/** The template of a send, filled; or the refusal of it (SEND-11, SEND-13 to SEND-15). */
export function renderTemplate(state: Pick<State, 'templates' | 'assumptions'>, send: Send): RenderedTemplate {
  const name = send.template_name ?? ''
  const language = send.template_language ?? ''
  const languages = state.templates.languagesOf(name)
  if (languages.length === 0)
    throw apiRefusal('template_not_found', `There is no template ${name} on the number's account.`)
  const template = state.templates.find(name, language)
  if (template === undefined)
    throw apiRefusal(
      'invalid_template',
      `The template ${name} does not exist in ${language}; it exists in ${languages.join(', ')}.`,
    )
  const reason = unsendableReason(template, state.assumptions)
  if (reason !== null) throw apiRefusal('invalid_template', reason)
  try {
    return fillTemplate(template, send.template_components ?? [])
  } catch (error) {
    if (error instanceof ParameterMismatch) throw codelessRefusal(error.message)
    throw error
  }
}
