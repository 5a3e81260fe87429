import { z } from 'zod'
import type { TemplateComponent } from '../../service/send-request.ts'
import type { Assumptions } from './assumptions.ts'
import type { Ids } from './ids.ts'

export const approvedComponentSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('HEADER'),
    format: z.enum(['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT']).default('TEXT'),
    text: z.string().optional(),
  }),
  z.looseObject({ type: z.literal('BODY'), text: z.string().min(1) }),
  z.looseObject({ type: z.literal('FOOTER'), text: z.string() }),
  z.looseObject({
    type: z.literal('BUTTONS'),
    buttons: z.array(
      z.discriminatedUnion('type', [
        z.looseObject({ type: z.literal('QUICK_REPLY'), text: z.string().min(1) }),
        z.looseObject({ type: z.literal('URL'), text: z.string().min(1), url: z.string().min(1) }),
        z.looseObject({ type: z.literal('PHONE_NUMBER'), text: z.string().min(1), phone_number: z.string() }),
      ]),
    ),
  }),
])

type ApprovedComponent = z.infer<typeof approvedComponentSchema>

export interface TemplateShape {
  readonly components: readonly ApprovedComponent[]
}

type Of<T extends ApprovedComponent['type']> = Extract<ApprovedComponent, { type: T }>
type ApprovedButton = Of<'BUTTONS'>['buttons'][number]

function componentOf<T extends ApprovedComponent['type']>(shape: TemplateShape, type: T): Of<T> | undefined {
  return shape.components.find((component): component is Of<T> => component.type === type)
}

const PLACEHOLDER = /\{\{\s*(\d+)\s*\}\}/g

/** The highest number of a placeholder in a text. */
function placeholders(text: string): number {
  // Not `Math.max` over all: a text may have more placeholders than a function accepts arguments.
  let highest = 0
  for (const [, n] of text.matchAll(PLACEHOLDER)) highest = Math.max(highest, Number(n))
  return highest
}

/** The dashboard's fields for a template for one-time codes. The upstream platform writes the text (TPL-07). */
export interface CodeTemplate {
  readonly securityReminder: boolean
  /** Whole minutes; null for the upstream platform's own 10 minutes. */
  readonly expiryMinutes: number | null
  readonly buttonText: string
}

const DEFAULT_MINUTES = 10
const LONGEST_MINUTES = 15
const MINUTE_MS = 60_000

/** For how long the upstream platform tries to deliver a code (OTP-09). */
export function codeLifeMs({ expiryMinutes }: Pick<CodeTemplate, 'expiryMinutes'>): number {
  return Math.min(expiryMinutes ?? DEFAULT_MINUTES, LONGEST_MINUTES) * MINUTE_MS
}

export function approvedCode({ securityReminder, expiryMinutes, buttonText }: CodeTemplate): ApprovedComponent[] {
  const reminder = securityReminder ? ' For your security, do not share this code.' : ''
  return [
    { type: 'BODY', text: `{{1}} is your verification code.${reminder}` },
    ...(expiryMinutes === null
      ? []
      : [{ type: 'FOOTER' as const, text: `This code expires in ${expiryMinutes} minutes.` }]),
    {
      type: 'BUTTONS',
      buttons: [{ type: 'URL', text: buttonText, url: 'https://code.emulator.test/copy?code={{1}}' }],
    },
  ]
}

/** The components that a template for codes has before it is synchronised (OTP-07). */
export function submittedCode({ securityReminder, expiryMinutes, buttonText }: CodeTemplate): object[] {
  return [
    { type: 'BODY', add_security_recommendation: securityReminder },
    ...(expiryMinutes === null ? [] : [{ type: 'FOOTER', code_expiration_minutes: expiryMinutes }]),
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: buttonText }] },
  ]
}

export type RenderedTemplate = ReturnType<typeof fillTemplate>

export class ParameterMismatch extends Error {}

type Parameter = NonNullable<TemplateComponent['parameters']>[number]

export function fillTemplate(shape: TemplateShape, sent: readonly TemplateComponent[]) {
  const header = fillHeader(shape, only(sent, 'header'))
  const body = fillText('body', componentOf(shape, 'BODY')?.text, only(sent, 'body'))
  const footer = componentOf(shape, 'FOOTER')?.text
  return {
    text: [header, body.text, footer].filter((part) => part !== undefined && part !== '').join('\n'),
    body: body.values,
    quickReplies: fillButtons(
      componentOf(shape, 'BUTTONS')?.buttons ?? [],
      sent.filter((component) => component.type === 'button'),
    ),
  }
}

function only(sent: readonly TemplateComponent[], type: 'header' | 'body'): readonly Parameter[] {
  const found = sent.filter((component) => component.type === type)
  if (found.length > 1) throw new ParameterMismatch(`The ${type} component is given ${found.length} times.`)
  return found[0]?.parameters ?? []
}

function fillHeader(shape: TemplateShape, parameters: readonly Parameter[]): string | undefined {
  const header = componentOf(shape, 'HEADER')
  if (header === undefined || header.format === 'TEXT') return fillText('header', header?.text, parameters).text
  const kind = header.format.toLowerCase()
  if (parameters.length !== 1 || parameters[0]?.type !== kind)
    throw new ParameterMismatch(`The header needs one ${kind} parameter, got ${described(parameters)}.`)
  return undefined
}

function fillText(where: string, text = '', parameters: readonly Parameter[]) {
  const wanted = placeholders(text)
  const values = parameters.flatMap((parameter) => (parameter.type === 'text' ? [parameter.text] : []))
  if (values.length !== parameters.length || values.length !== wanted)
    throw new ParameterMismatch(`The ${where} needs ${wanted} text parameters, got ${described(parameters)}.`)
  return { text: text.replaceAll(PLACEHOLDER, (blank, n: string) => values[Number(n) - 1] ?? blank), values }
}

function fillButtons(buttons: readonly ApprovedButton[], sent: readonly TemplateComponent[]) {
  const given = new Map<number, TemplateComponent>()
  for (const component of sent) {
    const index = Number(component.index ?? Number.NaN)
    if (buttons[index] === undefined)
      throw new ParameterMismatch(`The template has no button at index ${String(component.index)}.`)
    if (given.has(index)) throw new ParameterMismatch(`The button at index ${index} is given twice.`)
    given.set(index, component)
  }
  return buttons.flatMap((button, index) => fillButton(button, index, given.get(index)))
}

function fillButton(button: ApprovedButton, index: number, sent: TemplateComponent | undefined) {
  const parameters = sent?.parameters ?? []
  const mismatch = (wanted: string) =>
    new ParameterMismatch(`The button at index ${index} needs ${wanted}, got ${described(parameters)}.`)
  if (button.type === 'QUICK_REPLY') {
    const [payload] = parameters
    if (parameters.length > 1 || (sent && sent.sub_type !== 'quick_reply') || (payload && payload.type !== 'payload'))
      throw mismatch('at most one payload, as a quick_reply')
    return [{ payload: payload?.payload ?? button.text, title: button.text }]
  }
  const dynamic = button.type === 'URL' && placeholders(button.url) > 0
  if (!dynamic && sent) throw mismatch('no parameters')
  if (dynamic && (sent?.sub_type !== 'url' || parameters.length !== 1 || parameters[0]?.type !== 'text'))
    throw mismatch('one text parameter, as a url')
  return []
}

function described(parameters: readonly Parameter[]): string {
  return parameters.length === 0 ? 'none' : parameters.map((parameter) => parameter.type).join(', ')
}

export interface Template extends NewTemplate {
  readonly id: string
  status: string
  qualityScore: QualityScore
  synchronised: boolean
  /** Milliseconds since the epoch, by the emulator's clock; null before the first approval. */
  approvedAt: number | null
  statusChangedAt: number
}

export const QUALITY_SCORES = ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] as const
type QualityScore = (typeof QUALITY_SCORES)[number]

export interface NewTemplate extends TemplateShape {
  readonly number: string
  readonly name: string
  readonly language: string
  readonly category: string
  readonly status: string
  readonly qualityScore: QualityScore
  /** Whether the upstream platform has told the service about the template. If not, it counts as sendable (TPL-05). */
  readonly synchronised: boolean
  readonly code?: CodeTemplate
}

export type Templates = ReturnType<ReturnType<typeof createTemplates>['of']>

export function createTemplates(ids: Pick<Ids, 'template'>) {
  const all: Template[] = []
  return {
    add(template: NewTemplate, now: number): Template {
      const added: Template = {
        ...template,
        id: ids.template(),
        approvedAt: template.status === 'APPROVED' ? now : null,
        statusChangedAt: now,
      }
      all.unshift(added)
      return added
    },
    byId: (id: string) => all.find((it) => it.id === id),
    change(
      template: Template,
      changed: Partial<Pick<Template, 'status' | 'qualityScore' | 'synchronised'>>,
      now: number,
    ) {
      if ((changed.status ?? template.status) !== template.status) template.statusChangedAt = now
      Object.assign(template, changed)
      if (template.status === 'APPROVED') template.approvedAt ??= now
    },
    newestFirst: (): readonly Template[] => all,
    of(number: string) {
      const own = () => all.filter((it) => it.number === number)
      return {
        find: (name: string, language: string) => own().find((it) => it.name === name && it.language === language),
        languagesOf: (name: string) => own().flatMap((it) => (it.name === name ? [it.language] : [])),
        newestFirst: own,
      }
    },
  }
}

const SENT = ['APPROVED', 'FLAGGED', 'LOCKED']

const REASONS: ReadonlyMap<string, string> = new Map([
  ['PENDING', 'The template is still in review.'],
  ['REJECTED', 'The template was rejected in review.'],
  ['PAUSED', 'The template is paused.'],
  ['DISABLED', 'The template is disabled.'],
  ['ARCHIVED', 'The template is archived.'],
])

/** A sentence that says why a send of this template is refused; null if it is accepted (SEND-15, TPL-04). */
export function unsendableReason(
  template: Pick<Template, 'status'>,
  assumptions: Pick<Assumptions, 'unknownTemplateState'>,
): string | null {
  if (SENT.includes(template.status)) return null
  const reason = REASONS.get(template.status)
  if (reason !== undefined) return reason
  return assumptions.unknownTemplateState === 'send' ? null : `The template is in the state ${template.status}.`
}
