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

/** Without its stack. Anything can be thrown, even a value without a text. */
export function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return `a value of type ${typeof error} that has no text`
  }
}
