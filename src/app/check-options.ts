import { type Duration, toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { isSchema } from '../base/schema.ts'
import { isRecord } from '../base/value.ts'
import { HEADER_PREFIX_FORM } from '../contract/delivery.ts'
import { RECIPIENT_FORM } from '../contract/limits.ts'
import type { BotOptions } from './options.ts'
import { retentionOf } from './retention.ts'

type Check = (value: unknown) => string | undefined

const WHOLE = 'a whole number from 1 on'
const text: Check = (value) => (typeof value === 'string' && value.trim() !== '' ? undefined : 'some text')
const called: Check = (value) => (typeof value === 'function' ? undefined : 'a function')
const wholeFromOne: Check = (value) => (Number.isSafeInteger(value) && (value as number) >= 1 ? undefined : WHOLE)
const source: Check = (value) => (typeof value === 'function' ? undefined : text(value) && 'some text or a function')
const secrets: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => text(one) === undefined) ? undefined : source(value)
const span: Check = (value) => {
  try {
    toMs(value as Duration)
    return undefined
  } catch {
    return "a span such as '30s', or milliseconds"
  }
}
// Zero is no word for "never": each attempt would be over at once, each reply too late.
const someSpan: Check = (value) =>
  span(value) ?? (toMs(value as Duration) > 0 ? undefined : "a span above zero such as '30s'")

const NUMBER_CHECKS: Record<string, Check> = { accessToken: source, signingSecret: secrets, phoneNumberId: text }

const MODES: readonly unknown[] = ['strict', 'warn', 'off']

const CHECKS: Record<string, Check> = {
  ...NUMBER_CHECKS,
  baseUrl: text,
  database: text,
  headerPrefix: (value) =>
    typeof value === 'string' && HEADER_PREFIX_FORM.test(value) ? undefined : "a prefix such as 'X-Service-'",
  lanes: wholeFromOne,
  bodyLimit: wholeFromOne,
  allowedRecipients: (value) =>
    Array.isArray(value) && value.every((one) => RECIPIENT_FORM.test(String(one)))
      ? undefined
      : 'a list of phone numbers of 6 to 20 digits, without +',
  logger: (value) =>
    value === false || ['debug', 'info', 'warn', 'error'].every((level) => hasMethod(value, level))
      ? undefined
      : 'false, or a logger with debug, info, warn and error',
  keepStale: (value) => (typeof value === 'boolean' ? undefined : 'true or false'),
  identicalDeliveries: (value) => (value === 'hold' || value === 'dispatch' ? undefined : "'hold' or 'dispatch'"),
  fetch: called,
  clock: called,
  staleAfter: someSpan,
  takeoverWindow: span,
  replies: (value) => (value === 'guessed' || value === 'locked' ? undefined : "'guessed' or 'locked'"),
  validation: (value) => (MODES.includes(value) ? undefined : "'strict', 'warn' or 'off'"),
  onUnknown: (value) => (value === 'repeat' || value === 'hold' ? undefined : "'repeat' or 'hold'"),
}

const ATTEMPT_CHECKS: Record<string, Check> = { max: wholeFromOne, within: span, deadline: someSpan }
const RETENTION_CHECKS: Record<string, Check> = { bytes: span, ids: span }

/**
 * Refuses wrong options by name, with what was expected; values are not shown, since some are secret.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function checkOptions(options: BotOptions): void {
  if (!isRecord(options)) throw refuse('createBot', 'an object of options', options)
  const { numbers, attempts, retention, session, facts, ...rest }: Record<string, unknown> = options
  check('', rest, CHECKS)
  if (session !== undefined) checkSession(session)
  if (facts !== undefined) checkFacts(facts)
  if (attempts !== undefined) check('attempts.', attempts, ATTEMPT_CHECKS)
  if (retention !== undefined) check('retention.', retention, RETENTION_CHECKS)
  retentionOf(retention as BotOptions['retention'])
  if (numbers === undefined) return
  if (!isRecord(numbers) || Object.keys(numbers).length === 0)
    throw refuse('numbers', 'an object of numbers by name', numbers)
  for (const [name, number] of Object.entries(numbers)) {
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name))
      throw refuse(`numbers: the name "${name}"`, 'letters, digits, - and _', name)
    check(`numbers.${name}.`, number, NUMBER_CHECKS)
  }
  for (const option of Object.keys(NUMBER_CHECKS))
    if (rest[option] !== undefined)
      throw new SwitchhookError(
        'options_invalid',
        `${option}: with several numbers it belongs to each of them, as numbers.NAME.${option}`,
      )
}

const SESSION_CHECKS: Record<string, Check> = {
  schema: (value) => (isSchema(value) ? undefined : 'a schema, such as z.object({ lang: z.string().default("en") })'),
  ttl: someSpan,
  version: wholeFromOne,
  migrate: called,
}

function checkSession(session: unknown): void {
  if (isSchema(session)) return
  check('session.', session, SESSION_CHECKS)
  if (!isSchema((session as { schema?: unknown }).schema)) throw refuse('session.schema', 'a schema', undefined)
}

function checkFacts(facts: unknown): void {
  if (!isRecord(facts)) throw refuse('facts', 'an object of facts by event', facts)
  for (const [event, paths] of Object.entries(facts)) {
    if (!isRecord(paths)) throw refuse(`facts.${event}`, 'an object of paths by fact', paths)
    for (const [fact, where] of Object.entries(paths))
      if (typeof where !== 'function' && text(where) !== undefined)
        throw refuse(`facts.${event}.${fact}`, "a path such as 'data.order.id', or a function of the payload", where)
  }
}

function check(prefix: string, given: unknown, checks: Record<string, Check>): void {
  if (!isRecord(given)) throw refuse(prefix.slice(0, -1), 'an object', given)
  for (const [name, value] of Object.entries(given)) {
    const expected = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (!expected)
      throw new SwitchhookError(
        'options_invalid',
        `${prefix}${name}: there is no such option; the options here are ${[...Object.keys(checks), ...(prefix === '' ? ['attempts', 'facts', 'numbers', 'retention', 'session'] : [])].join(', ')}`,
      )
    const problem = value === undefined ? undefined : expected(value)
    if (problem !== undefined) throw refuse(prefix + name, problem, value)
  }
}

function refuse(name: string, expected: string, value: unknown): SwitchhookError {
  // A number is shown where one is asked for; anything else may be a secret in the wrong place.
  const got = expected === WHOLE && typeof value === 'number' ? String(value) : kindOf(value)
  return new SwitchhookError('options_invalid', `${name}: expected ${expected}, got ${got}`)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list with something else in it'
  if (value === '') return 'an empty text'
  return typeof value === 'string' ? 'another text' : `a value of type ${typeof value}`
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof (value as Record<string, unknown> | null)?.[name] === 'function'
}
