import { InvalidArgumentError } from 'commander'
import { type Duration, toMs } from '../../../base/duration.ts'
import { optionsInvalid, reasonOf } from '../../../base/errors.ts'
import { RECIPIENT_FORM } from '../../../service/endpoints.ts'
import { digitsOf } from '../../../service/recipient.ts'

export function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
}

export function readCustomer(text: string): string {
  const digits = digitsIn(text)
  if (RECIPIENT_FORM.test(digits)) return digits
  throw new InvalidArgumentError('It must be the 6 to 20 digits of a phone number.')
}

function digitsIn(text: string): string {
  try {
    return digitsOf(text)
  } catch (error) {
    throw new InvalidArgumentError(`It must be the 6 to 20 digits of a phone number: ${reasonOf(error)}.`)
  }
}

export function readCount(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1 to 9999999.')
}

/** Reads a span such as `5s`, or a plain number of milliseconds. Refuses zero. */
export function readSpan(text: string, flag: string): number {
  const ms = toMs(/^\d+$/.test(text) ? Number(text) : (text as Duration), flag)
  if (ms > 0) return ms
  throw optionsInvalid(`${flag}: expected more than zero`)
}

export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

export function example(command: string): string {
  return `\nExample:\n  $ ${command}\n`
}

export const BASE_URL_OPTION = ['--base-url <url>', "the service's address (env: SWITCHHOOK_BASE_URL)"] as const

export const TOKEN_OPTION = ['--token <token>', "the number's access token (env: SWITCHHOOK_ACCESS_TOKEN)"] as const

export interface ServiceFlags {
  readonly baseUrl?: string
  readonly token?: string
}
