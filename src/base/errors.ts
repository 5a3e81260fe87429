import { knownToAllBuilds } from './shared.ts'

/** Every code of this library's errors. Branch on codes, never on messages. */
export const ERROR_CODES = [
  'options_invalid',
  'environment_missing',
  'runtime_too_old',
  'not_started',
  'store_unavailable',
  'store_newer',
  'outside_window',
  'attempt_over',
  'diverged',
  'outcome_unknown',
  'recipient_not_confirmed',
  'recipient_not_allowed',
  'no_access_token',
  'number_unavailable',
  'content_invalid',
  'template_unsendable',
  'fact_missing',
  'session_invalid',
  'port_in_use',
  'turn_failed',
  'api_error',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/**
 * The base of all errors of the library. `message` states what was tried, what is wrong and what to do, and may change
 * at any time. `code` is stable.
 */
export class SwitchhookError extends Error {
  readonly code: string
  /** The docs section about this code: a file of the package and its heading. */
  readonly docs: string

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'SwitchhookError'
    this.code = code
    this.docs = docsOf(code)
  }
}
knownToAllBuilds(SwitchhookError)

export function optionsInvalid(message: string, options?: { cause?: unknown }): SwitchhookError {
  return new SwitchhookError('options_invalid', message, options)
}

export function docsOf(code: string): string {
  return `switchhook/docs/errors.md#${code}`
}

export interface ErrorTexts {
  readonly name: string
  readonly message: string
  /** Empty if the error has no stack. */
  readonly stack: string
  readonly code: string
}

/**
 * The only way to read a caught error. Apps and packages can throw anything: null, an error whose `message` is an
 * object, a value that throws when it is read.
 */
export function readError(thrown: unknown): ErrorTexts {
  const member = textIn.bind(undefined, thrown)
  const noText = `a value of type ${typeof thrown} that has no text`
  const isError = isA(thrown, Error)
  const whole = isError ? member('message', noText) : member('message') || textOf(() => wholeText(thrown), noText)
  const message = whole.slice(0, LONGEST_MESSAGE)
  return {
    name: isError ? member('name') || 'Error' : typeof thrown,
    message,
    // A stack repeats the whole message, so an error whose message was cut gets no stack.
    stack: message === whole ? member('stack') : '',
    code: member('code'),
  }
}

/** In characters. Limited, because redaction searches the whole message. */
const LONGEST_MESSAGE = 20_000
const LONGEST_TEXT = 100_000

/** Returns a member of a caught error as a text: empty if it has none, `otherwise` if reading it throws. */
export function textIn(thrown: unknown, member: string, otherwise = ''): string {
  return textOf(() => (thrown as Readonly<Record<string, unknown>> | null | undefined)?.[member], otherwise)
}

export function causeOf(thrown: unknown): unknown {
  try {
    return isA(thrown, Error) ? thrown.cause : undefined
  } catch {
    return undefined
  }
}

function textOf(read: () => unknown, otherwise: string): string {
  try {
    const value = read() ?? ''
    const text = typeof value === 'object' ? JSON.stringify(value) : wholeText(value)
    // The members of an error are not enumerable: its JSON is `{}`, so its own text is used.
    return (text === '{}' ? wholeText(value) : text).slice(0, LONGEST_TEXT)
  } catch {
    return otherwise
  }
}

function wholeText(value: unknown): string {
  return String(value)
}

/** Like `instanceof`, but safe: a proxy can make `instanceof` throw. */
export function isA<T>(thrown: unknown, type: abstract new (...given: never[]) => T): thrown is T {
  try {
    return thrown instanceof type
  } catch {
    return false
  }
}

export function reasonOf(thrown: unknown): string {
  return readError(thrown).message
}
