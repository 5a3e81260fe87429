import { codePoints, LIMITS, type TemplateComponent } from '../../contract/index.ts'
import { isObject } from '../http/json.ts'
import { apiRefusal } from './refusals.ts'

/** The text that stands wherever a code would (OTP-06). */
export const CODE_WITHHELD = '[code withheld]'
/** The content of the recorded message (OTP-06). */
export const CODE_SENT = 'Verification code sent'

/** Thrown with the rule of one-time codes that a send breaks; the message never holds the code. */
class BrokenRule extends Error {}

/** Reads the code out of a send's components, or refuses with 422 `invalid_one_time_code` and the rule that is broken. */
export function readCode(components: unknown): string {
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
