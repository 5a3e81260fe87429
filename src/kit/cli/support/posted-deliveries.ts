import { type OutputFlags, printList } from './output.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { realTimers } from '../../../base/clock.ts'
import { optionsInvalid, SwitchhookError } from '../../../base/errors.ts'
import { isLoopback } from '../../../base/host.ts'
import { DEFAULT_HEADER_PREFIX } from '../../../service/delivery.ts'
import { HEADER_PREFIX_FORM } from '../../../service/endpoints.ts'
import type { AttemptError, AttemptOutcome, DeliveryRequest, DeliveryView } from '../../../emulator/deliver/delivery.ts'
import { post } from '../../../emulator/deliver/request.ts'
import type { Control } from './running-emulator.ts'
import { EXIT, OutOfReach, RefusedForSafety } from './exit.ts'
import { environment, type Io, signingSecret } from './io.ts'

export const RECEIVER_OPTIONS = {
  secret: ['--secret <secret>', "its subscription's secret (env: SWITCHHOOK_SIGNING_SECRET)"],
  prefix: ['--prefix <prefix>', 'the prefix of header names (env: SWITCHHOOK_HEADER_PREFIX; default: X-Service-)'],
  yes: ['--yes', 'needed if the receiver is not this machine: its handlers run'],
} as const

export interface ReceiverFlags {
  readonly secret?: string
  readonly prefix?: string
  readonly yes?: boolean
}

/** `prefix`: the beginning of the error's message, such as the flag. */
export function receiverUrl(text: string, prefix = ''): URL {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw optionsInvalid(
    `${prefix}expected the receiver's whole address, such as http://127.0.0.1:3000/webhooks/messages`,
  )
}

export function readReceiver(text: string, flag: string, { yes = false }: ReceiverFlags): string {
  const url = receiverUrl(text, `${flag}: `)
  if (isLoopback(url.href) || yes) return url.href
  throw new RefusedForSafety(
    `${flag}: ${url.origin} is not this machine: its handlers would run, and may answer a customer; pass --yes if you mean that`,
  )
}

export function requireSecret(io: Io, flags: ReceiverFlags): string {
  const secret = flags.secret?.trim() ?? signingSecret(io)
  if (secret) return secret
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

/** The longest wait for an answer, as in the emulator. */
const PATIENCE_MS = 10_000

/** @throws OutOfReach if nothing listens. */
export async function postDelivery(request: DeliveryRequest): Promise<Pick<DeliveryResult, 'status' | 'error' | 'ms'>> {
  const began = performance.now()
  const { signal } = new AbortController()
  const outcome = await post(request, { timers: realTimers, timeoutMs: PATIENCE_MS, signal })
  const ms = Math.round(performance.now() - began)
  if ('status' in outcome) return { status: outcome.status, ms }
  if (outcome.error === 'connection_refused')
    throw new OutOfReach(`nothing listens at ${request.url}: does the app run there?`, undefined)
  return { status: null, error: outcome.error, ms }
}

export interface DeliveryResult {
  readonly event: string
  readonly id: string
  /** Absent before the first attempt. */
  readonly url?: string
  /** Null if there was no answer: `error` says why. */
  readonly status: number | null
  readonly error?: AttemptError | 'not_yet'
  readonly ms?: number | undefined
  readonly fault?: string | undefined
  /** True if the delivery was tampered with or is too old, so that a receiver must refuse it. */
  readonly mustBeRefused?: boolean
}

export async function printResults(io: Io, flags: OutputFlags, all: readonly DeliveryResult[]): Promise<void> {
  const rows = all.map((result) => {
    const { mustBeRefused: _, ...about } = result
    return { ...about, ok: isAsExpected(result) }
  })
  await printList(io, flags, rows, ['event', 'id', 'status', 'error', 'ms', ['as expected', ({ ok }) => ok]])
  const reasons = all.flatMap(({ url, status, error, fault, mustBeRefused }) => {
    if (error === 'not_yet') return ['it waits behind others, or a fault delays it']
    if (mustBeRefused || url === undefined || isSuccess(status)) return []
    return [deliveryProblem(url, { status, ...(error !== undefined && { error }), fault })]
  })
  for (const reason of new Set(reasons)) io.err(`Not delivered: ${reason}`)
  io.exitCode = all.every(isAsExpected) ? EXIT.done : EXIT.failed
}

function isAsExpected({ status, mustBeRefused = false }: DeliveryResult): boolean {
  return mustBeRefused ? status !== null && status >= 400 && status <= 499 : isSuccess(status)
}

/** An attempt takes at most 10 s, so a longer wait means that a fault delays the delivery. */
const FIRST_ATTEMPT_MS = 12_000

const POLL_EVERY_MS = 40

export async function firstAttempts(emulator: Control, ids: readonly string[]): Promise<DeliveryResult[]> {
  const until = performance.now() + FIRST_ATTEMPT_MS
  for (;;) {
    const { items } = await emulator.get<{ items: readonly DeliveryView[] }>('deliveries')
    const mine = items.filter(({ id }) => ids.includes(id))
    if (mine.every(({ attempts, state }) => attempts.length > 0 || state !== 'pending') || performance.now() > until)
      return mine.map(resultOf)
    await sleep(POLL_EVERY_MS)
  }
}

function resultOf({ id, event, attempts: [first] }: DeliveryView): DeliveryResult {
  if (first === undefined) return { event, id, status: null, error: 'not_yet' }
  const { status, error, fault, tookMs, request } = first
  return { event, id, url: request.url, status, ...(error !== undefined && { error }), ms: tookMs, fault }
}

const HINTS: Readonly<Record<string, string>> = {
  connection_refused: '; does the app listen there? --webhook names another',
  401: '; does the app read SWITCHHOOK_SIGNING_SECRET of its environment?',
  404: '; is that its path? --webhook names another',
}

export function deliveryProblem(
  url: string,
  { status, error, fault }: Pick<AttemptOutcome, 'status'> & { error?: AttemptError; fault?: string | undefined },
): string {
  const what = status === null ? `${error} at ${url}` : `${status} from ${url}`
  return fault === undefined ? `${what}${HINTS[status ?? error ?? ''] ?? ''}` : `${what}; you armed \`${fault}\``
}

export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299
}

/** Node's error codes for a certificate that it does not trust. */
const UNTRUSTED = /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET_ISSUER|VERIFY)|HOSTNAME_MISMATCH)/

export function certificateFix(code: string | undefined): string | undefined {
  if (code === undefined || !UNTRUSTED.test(code)) return undefined
  return 'the service would refuse it too; for a test name it in NODE_EXTRA_CA_CERTS'
}
