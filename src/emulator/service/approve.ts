import { isRecord } from '../../base/value.ts'
import { LIMITS, WINDOW_MS, codePoints } from '../../service/endpoints.ts'
import { type MessageType, readsMember } from '../../service/message-kinds.ts'
import { type TemplateComponent } from '../../service/send-request.ts'
import { isPublicHost } from '../../base/host.ts'
import { Refusal } from '../http/messages.ts'
import type { ConnectedNumber } from '../model/account.ts'
import type { Assumptions } from '../model/assumptions.ts'
import type { Model } from '../model/model.ts'
import { type Send, apiRefusal, codelessRefusal } from './checks.ts'
import {
  ParameterMismatch,
  type RenderedTemplate,
  type Template,
  type Templates,
  codeLifeMs,
  fillTemplate,
  unsendableReason,
} from '../model/templates.ts'

/** Refuses a well-formed send that the service would refuse. The service makes these checks in this order. */
export function approve(model: Model, number: ConnectedNumber, send: Send): FilledTemplate | undefined {
  checkContactLimit(model, send)
  checkWindow(model, number, send)
  const template = readsMember(send.type, 'template_name')
    ? fillSend(send, model.templates.of(number.id), model.assumptions)
    : undefined
  checkUpstream(number, send)
  return template
}

function checkContactLimit({ account }: Model, { to }: Send): void {
  const { contactLimit } = account.plan
  if (contactLimit !== null && !account.contacts.has(to) && account.contacts.size >= contactLimit)
    throw apiRefusal('plan_limit_reached', `The plan's limit of ${contactLimit} contacts is reached.`)
}

/** True for a type that is accepted only while the window is open (GEN-05). */
export function needsWindow(type: MessageType): boolean {
  return type !== 'template'
}

function checkWindow(model: Model, number: ConnectedNumber, send: Send): void {
  const lastInboundAt = model.phones.lastInboundAt(send.to, number.id)
  if (needsWindow(send.type) && !isWindowOpen(lastInboundAt, model.clock.now()))
    throw apiRefusal(
      'outside_messaging_window',
      'The customer has not written within the last 24 hours; only a template can be sent.',
    )
}

/** True within 24 hours of the customer's last message (GEN-04). At exactly 24 hours it is closed, by assumption. */
export function isWindowOpen(lastInboundAt: number | undefined, now: number): boolean {
  return lastInboundAt !== undefined && now - lastInboundAt < WINDOW_MS
}

function checkUpstream(number: ConnectedNumber, send: Send): void {
  if (!number.connected) throw apiRefusal('send_failed', 'The number is not connected to the chat platform.')
  const reason = mediaLinks(send)
    .map(unreachableReason)
    .find((found) => found !== undefined)
  if (reason !== undefined) throw apiRefusal('send_failed', `The chat platform refused the message: ${reason}`)
}

function mediaLinks(send: Send): readonly string[] {
  const { type, media_url: url, template_components: components } = send
  const parameters = (components ?? []).flatMap((component) => component.parameters ?? [])
  return [
    ...(readsMember(type, 'media_url') && typeof url === 'string' ? [url] : []),
    ...(readsMember(type, 'template_components') ? parameters.flatMap(linksOf) : []),
  ]
}

type Parameter = NonNullable<TemplateComponent['parameters']>[number]

function linksOf(parameter: Parameter): string[] {
  if (parameter.type === 'image') return [parameter.image.link]
  if (parameter.type === 'video') return [parameter.video.link]
  return parameter.type === 'document' ? [parameter.document.link] : []
}

/** Judges by the address alone, without the network (SEND-05, SEND-21). */
function unreachableReason(link: string): string | undefined {
  const url = URL.parse(link)
  if (url === null) return 'The media address is not a valid URL.'
  if (url.protocol !== 'https:') return 'The media address must be https.'
  if (url.username !== '' || url.password !== '') return 'The media must be reachable anonymously, without credentials.'
  if (!isPublicHost(url.hostname)) return `The media host ${url.hostname} cannot be reached from the open internet.`
  return undefined
}

export interface FilledTemplate extends RenderedTemplate {
  readonly components: readonly TemplateComponent[]
  readonly code?: { readonly clear: string; readonly lifeMs: number }
}

/** Finds and fills the template of a send, or refuses the send (SEND-11, SEND-13 to SEND-15). */
function fillSend(send: Send, templates: Templates, assumptions: Assumptions): FilledTemplate {
  const template = findTemplate(send.template_name ?? '', send.template_language ?? '', templates)
  try {
    const reason = unsendableReason(template, assumptions)
    if (reason !== null) throw apiRefusal('invalid_template', reason)
    return fill(template, send.template_components ?? [], assumptions)
  } catch (error) {
    // If a template is not synchronised yet, the upstream platform refuses it, so the code is `send_failed` (TPL-05).
    if (!template.synchronised && error instanceof Refusal && error.status === 400)
      throw apiRefusal('send_failed', `The chat platform refused the template: ${error.message}`)
    throw error
  }
}

function findTemplate(name: string, language: string, templates: Templates): Template {
  const found = templates.find(name, language)
  if (found !== undefined) return found
  const languages = templates.languagesOf(name)
  if (languages.length === 0)
    throw apiRefusal('template_not_found', `The template ${name} does not exist on the number's account.`)
  throw apiRefusal(
    'invalid_template',
    `The template ${name} does not exist in ${language}; it exists in ${languages.join(', ')}.`,
  )
}

/** Refuses texts that comparable platforms refuse. It is assumed that this service does too. */
function checkParameters(sent: readonly TemplateComponent[]): void {
  for (const { type, index, parameters = [] } of sent)
    parameters.forEach((parameter, at) => {
      if (parameter.type !== 'text') return
      const { text } = parameter
      const isRefused = text.trim() === '' || text.includes('\t') || /\r|\n/.test(text) || text.includes('     ')
      const where = type === 'button' ? `button ${index}` : type
      const message = `Parameter ${at + 1} of the ${where} is empty, or has a newline, a tab or more than four blanks in a row.`
      if (isRefused) throw new Refusal(400, { message, assumed: 'templateParameters' })
    })
}

function fill(template: Template, sent: readonly TemplateComponent[], assumptions: Assumptions): FilledTemplate {
  if (template.code) {
    const clear = readCode(sent)
    const components = codeComponents(clear)
    return { ...fillTemplate(template, components), components, code: { clear, lifeMs: codeLifeMs(template.code) } }
  }
  try {
    const filled = { ...fillTemplate(template, sent), components: sent }
    if (assumptions.templateParameters === 'refuse') checkParameters(sent)
    return filled
  } catch (error) {
    if (error instanceof ParameterMismatch) throw codelessRefusal(error.message)
    throw error
  }
}

export const CODE_WITHHELD = '[code withheld]'
export const CODE_SENT = 'Verification code sent'

function brokenRule(message: string): Refusal {
  return apiRefusal('invalid_one_time_code', message)
}

/** The components of a send with a code: the body's parameter, and its copy in the copy-code button (OTP-02). */
export function codeComponents(code: string): readonly TemplateComponent[] {
  const parameters = [{ type: 'text' as const, text: code }]
  return [
    { type: 'body', parameters },
    { type: 'button', sub_type: 'url', index: '0', parameters },
  ]
}

function readCode(components: unknown): string {
  const given: readonly unknown[] = Array.isArray(components) ? components : []
  const all = given.filter(isRecord)
  const bodies = all.filter((component) => component['type'] === 'body')
  const buttons = all.filter(isCopyButton)
  const [body] = bodies
  if (body === undefined || bodies.length > 1) throw brokenRule('The send needs one body component with the code.')
  if (bodies.length + buttons.length < given.length || buttons.length > 1)
    throw brokenRule('No component is allowed besides the body and the copy-code button (sub_type url, index "0").')
  const code = parameterOf(body, 'body')
  checkCode(code)
  for (const button of buttons)
    if (parameterOf(button, 'button') !== code) throw brokenRule("The button's code must equal the body's.")
  return code
}

function isCopyButton(component: Readonly<Record<string, unknown>>): boolean {
  return component['type'] === 'button' && component['sub_type'] === 'url' && component['index'] === '0'
}

function parameterOf(component: Readonly<Record<string, unknown>>, where: string): string {
  const parameters = component['parameters']
  const [parameter, ...more] = Array.isArray(parameters) ? parameters : []
  if (!isRecord(parameter) || parameter['type'] !== 'text' || more.length > 0)
    throw brokenRule(`The ${where} component takes exactly one text parameter, the code.`)
  if (typeof parameter['text'] !== 'string') throw brokenRule('The code must be a JSON string.')
  return parameter['text']
}

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/[\n\r\t\v\f\u0085\u2028\u2029]/, 'must not contain a newline or a tab'],
  [/^\s|\s$/, 'must not begin or end with a space'],
  [/ {4}/, 'must not contain four spaces in a row'],
  [/https?:\/\/|www\./i, 'must not contain a link'],
  [/[\p{L}\p{N}]\.\p{L}{2}/u, 'must not read as a domain'],
  [/\p{Extended_Pictographic}|\p{Regional_Indicator}|[\u20e3\ufe0f]/u, 'must not contain an emoji'],
]

function checkCode(code: string): void {
  const { min, max } = LIMITS.code
  const length = codePoints(code)
  if (length < min || length > max) throw brokenRule(`The code must have ${min} to ${max} characters.`)
  const broken = FORBIDDEN.find(([form]) => form.test(code))
  if (broken) throw brokenRule(`The code ${broken[1]}.`)
}
