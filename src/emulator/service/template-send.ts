import { Refusal } from '../http/messages.ts'
import type { Assumptions } from '../model/assumptions.ts'
import { fillTemplate, ParameterMismatch, type RenderedTemplate } from '../model/template-shape.ts'
import { codeLifeMs } from '../model/template-shape.ts'
import { type Template, type Templates, unsendableReason } from '../model/templates.ts'
import type { OnCheck } from './checks.ts'
import { apiRefusal, codelessRefusal } from './refusals.ts'
import type { Send } from './validation.ts'
import { codePoints, LIMITS, type TemplateComponent } from '../../contract/index.ts'
import { isObject } from '../http/json.ts'

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

/** The text that stands wherever a code would (OTP-06). */
export const CODE_WITHHELD = '[code withheld]'
/** The content of the recorded message (OTP-06). */
export const CODE_SENT = 'Verification code sent'

/** Thrown with the rule of one-time codes that a send breaks; the message never holds the code. */
class BrokenRule extends Error {}

/** Reads the code out of a send's components, or refuses with 422 `invalid_one_time_code` and the rule that is broken. */
function readCode(components: unknown): string {
  try {
    return codeOf(components)
  } catch (error) {
    if (error instanceof BrokenRule) throw apiRefusal('invalid_one_time_code', error.message)
    throw error
  }
}

/** The components of a send with a code: the body's parameter, and its copy in the copy-code button (OTP-02). */
export function codeComponents(code: string): readonly TemplateComponent[] {
  const parameters = [{ type: 'text' as const, text: code }]
  return [
    { type: 'body', parameters },
    { type: 'button', sub_type: 'url', index: '0', parameters },
  ]
}

function codeOf(components: unknown): string {
  const given: readonly unknown[] = Array.isArray(components) ? components : []
  const all = given.filter(isObject)
  const bodies = all.filter((component) => component['type'] === 'body')
  const buttons = all.filter(isCopyButton)
  const [body] = bodies
  if (body === undefined || bodies.length > 1) throw new BrokenRule('The send needs one body component with the code.')
  if (bodies.length + buttons.length < given.length || buttons.length > 1)
    throw new BrokenRule('No component is allowed beside the body and the copy-code button (sub_type url, index "0").')
  const code = parameterOf(body, 'body')
  checkCode(code)
  for (const button of buttons)
    if (parameterOf(button, 'button') !== code) throw new BrokenRule("The button's code must equal the body's.")
  return code
}

function isCopyButton(component: Readonly<Record<string, unknown>>): boolean {
  return component['type'] === 'button' && component['sub_type'] === 'url' && component['index'] === '0'
}

function parameterOf(component: Readonly<Record<string, unknown>>, where: string): string {
  const parameters = component['parameters']
  const [parameter, ...more] = Array.isArray(parameters) ? parameters : []
  if (!isObject(parameter) || parameter['type'] !== 'text' || more.length > 0)
    throw new BrokenRule(`The ${where} component takes exactly one text parameter, the code.`)
  if (typeof parameter['text'] !== 'string') throw new BrokenRule('The code must be a JSON string.')
  return parameter['text']
}

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/[\n\r\t\v\f\u0085\u2028\u2029]/, 'must not hold a newline or a tab'],
  [/^\s|\s$/, 'must not begin or end with a space'],
  [/ {4}/, 'must not hold four spaces in a row'],
  [/https?:\/\/|www\./i, 'must not hold a link'],
  [/[\p{L}\p{N}]\.\p{L}{2}/u, 'must not read as a domain'],
  [/\p{Extended_Pictographic}|\p{Regional_Indicator}|[\u20e3\ufe0f]/u, 'must not hold an emoji'],
]

/** Checks the rules of OTP-03 and OTP-04, each with a sentence of its own. */
function checkCode(code: string): void {
  const { min, max } = LIMITS.code
  const length = codePoints(code)
  if (length < min || length > max) throw new BrokenRule(`The code must have ${min} to ${max} characters.`)
  const broken = FORBIDDEN.find(([form]) => form.test(code))
  if (broken) throw new BrokenRule(`The code ${broken[1]}.`)
}
