import { SwitchhookError } from '../../base/errors.ts'
import { isLoopback } from '../../base/loopback.ts'
import { DEFAULT_HEADER_PREFIX } from '../../contract/headers.ts'
import { environment } from '../environment.ts'
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

/** The address of a receiver, once it may be posted to. */
export function readReceiver(text: string, flag: string, { yes = false }: ReceiverFlags): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new SwitchhookError(
      'options_invalid',
      `${flag}: expected the receiver's whole address, such as http://127.0.0.1:3000/webhooks/messages`,
    )
  if (isLoopback(url.href) || yes) return url.href
  throw new RefusedForSafety(
    `${flag}: ${url.origin} is not this machine: its handlers would run, and may answer a customer; say --yes if that is meant`,
  )
}

export function secretFrom({ secret }: ReceiverFlags): string | undefined {
  // An app may hold several live secrets; either is right.
  return (secret ?? environment('SWITCHHOOK_SIGNING_SECRET')?.split(',')[0])?.trim()
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
  if (/^[A-Za-z][A-Za-z0-9-]*-$/.test(given)) return given
  throw new SwitchhookError('options_invalid', "--prefix: expected a prefix such as 'X-Service-'")
}
