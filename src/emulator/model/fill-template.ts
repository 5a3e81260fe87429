import type { TemplateComponent } from '../../contract/index.ts'
import {
  type ApprovedButton,
  buttonsOf,
  componentOf,
  filled,
  placeholders,
  type TemplateShape,
} from './template-shape.ts'

/** A filled template, as it stands on the phone. */
export type RenderedTemplate = ReturnType<typeof fillTemplate>

/** Thrown if the parameters do not match the approved shape; the message says where (SEND-13). */
export class ParameterMismatch extends Error {}

type Parameter = NonNullable<TemplateComponent['parameters']>[number]

/** Fills an approved template with the parameters of a send, or throws `ParameterMismatch`. */
export function fillTemplate(shape: TemplateShape, sent: readonly TemplateComponent[]) {
  const header = fillHeader(shape, only(sent, 'header'))
  const body = fillText('body', componentOf(shape, 'BODY')?.text, only(sent, 'body'))
  const footer = componentOf(shape, 'FOOTER')?.text
  return {
    text: [header, body.text, footer].filter((part) => part !== undefined && part !== '').join('\n'),
    body: body.values,
    quickReplies: fillButtons(
      buttonsOf(shape),
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
    throw new ParameterMismatch(`The header takes one ${kind} parameter, got ${described(parameters)}.`)
  return undefined
}

function fillText(where: string, text: string | undefined, parameters: readonly Parameter[]) {
  const wanted = placeholders(text)
  const values = parameters.flatMap((parameter) => (parameter.type === 'text' ? [parameter.text] : []))
  if (values.length !== parameters.length || values.length !== wanted)
    throw new ParameterMismatch(`The ${where} takes ${wanted} text parameters, got ${described(parameters)}.`)
  return { text: filled(text ?? '', values), values }
}

function fillButtons(buttons: readonly ApprovedButton[], sent: readonly TemplateComponent[]) {
  const given = new Map<number, TemplateComponent>()
  for (const component of sent) {
    const index = Number(component.index ?? Number.NaN)
    if (buttons[index] === undefined)
      throw new ParameterMismatch(`There is no button at index ${String(component.index)}.`)
    if (given.has(index)) throw new ParameterMismatch(`The button at index ${index} is given twice.`)
    given.set(index, component)
  }
  return buttons.flatMap((button, index) => fillButton(button, index, given.get(index)))
}

function fillButton(button: ApprovedButton, index: number, sent: TemplateComponent | undefined) {
  const parameters = sent?.parameters ?? []
  const mismatch = (wanted: string) =>
    new ParameterMismatch(`The button at index ${index} takes ${wanted}, got ${described(parameters)}.`)
  if (button.type === 'QUICK_REPLY') {
    const [payload] = parameters
    if (parameters.length > 1 || (sent && sent.sub_type !== 'quick_reply') || (payload && payload.type !== 'payload'))
      throw mismatch('one payload at most, as a quick_reply')
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
