import { SwitchhookError } from '../../base/errors.ts'
import { isLoopback } from '../../base/loopback.ts'
import { DEFAULT_HEADER_PREFIX, HEADER_PREFIX_FORM } from '../../contract/delivery.ts'
import { environment, signingSecret } from '../environment.ts'
import { RefusedForSafety } from '../exit.ts'

/** The options that name a receiver that is posted to directly. */
export const SECRET = ['--secret <secret>', 'of its subscription (env: SWITCHHOOK_SIGNING_SECRET)'] as const
export const PREFIX = [
  '--prefix <prefix>',
  'what header names begin with (env: SWITCHHOOK_HEADER_PREFIX; default: X-Service-)',
] as const
export const YES = ['--yes', 'also where the receiver is not this machine: its handlers run'] as const

export interface ReceiverFlags {
  readonly secret?: string
  readonly prefix?: string
  readonly yes?: boolean
}

/** The address of a receiver; `named` stands before the words of a refusal, where a flag holds it. */
export function receiverUrl(text: string, named = ''): URL {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw new SwitchhookError(
    'options_invalid',
    `${named}expected the receiver's whole address, such as http://127.0.0.1:3000/webhooks/messages`,
  )
}

/** The address of a receiver, once it may be posted to. */
export function readReceiver(text: string, flag: string, { yes = false }: ReceiverFlags): string {
  const url = receiverUrl(text, `${flag}: `)
  if (isLoopback(url.href) || yes) return url.href
  throw new RefusedForSafety(
    `${flag}: ${url.origin} is not this machine: its handlers would run, and may answer a customer; say --yes if that is meant`,
  )
}

export function secretFrom({ secret }: ReceiverFlags): string | undefined {
  return secret?.trim() ?? signingSecret()
}

export function needSecret(flags: ReceiverFlags): string {
  const secret = secretFrom(flags)
  if (secret !== undefined && secret !== '') return secret
  throw new SwitchhookError(
    'environment_missing',
    "the receiver's signing secret is needed: --secret, or SWITCHHOOK_SIGNING_SECRET",
  )
}

export function prefixFrom({ prefix }: ReceiverFlags): string {
  const given = prefix ?? environment('SWITCHHOOK_HEADER_PREFIX') ?? DEFAULT_HEADER_PREFIX
  if (HEADER_PREFIX_FORM.test(given)) return given
  throw new SwitchhookError('options_invalid', "--prefix: expected a prefix such as 'X-Service-'")
}
