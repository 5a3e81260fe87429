import { realTimers } from '../../base/clock.ts'
import { optionsInvalid, SwitchhookError } from '../../base/errors.ts'
import { isLoopback } from '../../base/host.ts'
import { DEFAULT_HEADER_PREFIX, deliveryHeaders, HEADER_PREFIX_FORM } from '../../contract/delivery.ts'
import type { DeliveryRequest } from '../../emulator/deliver/delivery.ts'
import { post } from '../../emulator/deliver/post.ts'
import { alterRequest, sign, unixSeconds } from '../../emulator/deliver/signed-request.ts'
import { EMULATOR_HEADER } from '../../emulator/http/messages.ts'
import { OutOfReach, RefusedForSafety } from './exit.ts'
import { environment, signingSecret, type Io } from './io.ts'
import type { Outcome } from './outcome.ts'

/** The options for posting to a receiver directly, without an emulator. */
export const RECEIVER_OPTIONS = {
  secret: ['--secret <secret>', 'of its subscription (env: SWITCHHOOK_SIGNING_SECRET)'],
  prefix: ['--prefix <prefix>', 'the prefix of header names (env: SWITCHHOOK_HEADER_PREFIX; default: X-Service-)'],
  yes: ['--yes', 'also if the receiver is not this machine: its handlers run'],
} as const

export interface ReceiverFlags {
  readonly secret?: string
  readonly prefix?: string
  readonly yes?: boolean
}

/** Parses a receiver's address. `prefix` begins the error message, such as the flag's name. */
export function receiverUrl(text: string, prefix = ''): URL {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw optionsInvalid(
    `${prefix}expected the receiver's whole address, such as http://127.0.0.1:3000/webhooks/messages`,
  )
}

/** Parses the address of a receiver and refuses one on another machine unless `--yes` is given. */
export function readReceiver(text: string, flag: string, { yes = false }: ReceiverFlags): string {
  const url = receiverUrl(text, `${flag}: `)
  if (isLoopback(url.href) || yes) return url.href
  throw new RefusedForSafety(
    `${flag}: ${url.origin} is not this machine: its handlers would run, and may answer a customer; say --yes if that is meant`,
  )
}

export function secretFrom(io: Io, { secret }: ReceiverFlags): string | undefined {
  return secret?.trim() ?? signingSecret(io)
}

export function needSecret(io: Io, flags: ReceiverFlags): string {
  const secret = secretFrom(io, flags)
  if (secret !== undefined && secret !== '') return secret
  throw new SwitchhookError(
    'environment_missing',
    "the receiver's signing secret is needed: --secret, or SWITCHHOOK_SIGNING_SECRET",
  )
}

export function prefixFrom(io: Io, { prefix }: ReceiverFlags): string {
  const given = prefix ?? environment(io, 'SWITCHHOOK_HEADER_PREFIX') ?? DEFAULT_HEADER_PREFIX
  if (HEADER_PREFIX_FORM.test(given)) return given
  throw optionsInvalid("--prefix: expected a prefix such as 'X-Service-'")
}

/** The parts of a delivery that can be changed after it is signed. */
export const TAMPERINGS = ['signature', 'body', 'timestamp'] as const

export type Tampering = (typeof TAMPERINGS)[number]

interface ToSign {
  readonly url: string
  readonly event: string
  readonly id: string
  readonly body: Buffer
  readonly secret: string
  /** The time of the signature, in milliseconds since the epoch. */
  readonly at: number
  readonly prefix: string
  readonly tamper?: Tampering | undefined
}

/** Builds a delivery as the service signs it, for a receiver that no emulator knows. */
export function signedRequest({ url, event, id, body, secret, at, prefix, tamper }: ToSign): DeliveryRequest {
  const names = deliveryHeaders(prefix)
  const timestamp = unixSeconds(at)
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    'User-Agent': 'switchhook',
    [names.event]: event,
    [names.delivery]: id,
    [names.timestamp]: timestamp,
    [names.signature]: sign(body, timestamp, secret),
    ...EMULATOR_HEADER,
  }
  return alterRequest({ url, headers, body }, names, { tamper })
}

/** A command waits so long for an answer, and so does the emulator. */
const PATIENCE_MS = 10_000

/** Posts a signed delivery and resolves with the answer's status and time. @throws OutOfReach if nothing listens. */
export async function postDelivery(request: DeliveryRequest): Promise<Pick<Outcome, 'status' | 'error' | 'ms'>> {
  const began = performance.now()
  const { signal } = new AbortController()
  const outcome = await post(request, { timers: realTimers, timeoutMs: PATIENCE_MS, signal })
  const ms = Math.round(performance.now() - began)
  if ('status' in outcome) return { status: outcome.status, ms }
  if (outcome.error === 'connection_refused')
    throw new OutOfReach(`nothing listens at ${request.url}: does the app run there?`, undefined)
  return { status: null, error: outcome.error, ms }
}
