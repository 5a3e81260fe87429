import { type Command, Option } from 'commander'
import { deliveryHeaders, TIMESTAMP_TOLERANCE_SECONDS } from '../contract/delivery.ts'
import type { Credentials } from '../emulator/control/account.ts'
import type { EventView } from '../emulator/control/deliveries.ts'
import type { AttemptView, DeliveryView } from '../emulator/deliver/delivery.ts'
import { alterRequest } from '../emulator/deliver/request.ts'
import { readCount } from './support/arguments.ts'
import {
  isSuccess,
  needSecret,
  type Outcome,
  postDelivery,
  prefixFrom,
  printOutcomes,
  readReceiver,
  RECEIVER_OPTIONS,
  type ReceiverFlags,
  secretFrom,
  signedRequest,
} from './support/deliveries.ts'
import { type Control, EMULATOR_OPTIONS, runningEmulator, type RunningFlags } from './support/emulator.ts'
import type { Io } from './support/io.ts'

/** The parts of a delivery that can be changed after it is signed. */
const TAMPERINGS = ['signature', 'body', 'timestamp'] as const

export function addCommand(command: Command, io: Io): void {
  command
    .description('deliver again what the running emulator delivered: the same id and bytes, signed now')
    .argument('<which>', "a delivery's id, last, or failed: all that were not accepted")
    .option('--exact', 'with the original timestamp and signature too')
    .addOption(new Option('--tamper <what>', 'change something after it was signed').choices(TAMPERINGS))
    .option('--duplicate [n]', 'several at the same time (default: 2)', readCount)
    .option('--to <url>', 'to this receiver, signed here, instead of the original one')
    .option(...RECEIVER_OPTIONS.secret)
    .option(...RECEIVER_OPTIONS.prefix)
    .option(...RECEIVER_OPTIONS.yes)
    .option(...EMULATOR_OPTIONS.address)
    .option(...EMULATOR_OPTIONS.token)
    .option('--json', 'one object a line on stdout: {"event":"…","id":"01J…","status":200,"ms":23,"ok":true}')
    .addHelpText('after', HELP)
    .action((which, flags) => replay(io, which, flags))
}

const HELP = `
Exit codes: 0 each was answered as it must be (2xx; 4xx if it was tampered with or is more than ${TIMESTAMP_TOLERANCE_SECONDS} s old), 1 one was
not, 2 usage, 3 no emulator or receiver answers, 4 --to is not this machine and there is no --yes.

Example:
  $ switchhook replay last --tamper signature
`

interface ReplayFlags extends RunningFlags, ReceiverFlags {
  readonly exact?: boolean
  readonly tamper?: (typeof TAMPERINGS)[number]
  /** True if the flag has no number. */
  readonly duplicate?: true | number
  readonly to?: string
}

async function replay(io: Io, which: string, flags: ReplayFlags): Promise<void> {
  const emulator = runningEmulator(io, flags)
  const found = await findDeliveries(emulator, which)
  const deliver =
    flags.to === undefined
      ? (delivery: DeliveryView) => redeliver(emulator, delivery, flags)
      : await posting(io, emulator, flags.to, flags)
  const copies = flags.duplicate === true ? 2 : (flags.duplicate ?? 1)
  const outcomes: Outcome[] = []
  for (const delivery of found)
    outcomes.push(...(await Promise.all(Array.from({ length: copies }, () => deliver(delivery)))))
  if (outcomes.length === 0) io.err('Nothing has failed.')
  await printOutcomes(io, flags, outcomes)
}

/** @throws Error if the emulator has no delivery with that id, or none at all. */
async function findDeliveries(emulator: Control, which: string): Promise<readonly DeliveryView[]> {
  const { items } = await emulator.get<{ items: readonly DeliveryView[] }>('deliveries')
  if (which === 'failed') return items.filter(hasFailed)
  const found = which === 'last' ? items.at(-1) : items.find(({ id }) => id === which.toUpperCase())
  if (found !== undefined) return [found]
  throw new Error(
    which === 'last'
      ? 'nothing was delivered yet: `switchhook trigger` causes an event'
      : `the emulator knows no delivery ${JSON.stringify(which)}; \`last\` is the latest`,
  )
}

/** Tells whether a delivery has failed so far, even if it will be retried. */
function hasFailed({ attempts, state }: DeliveryView): boolean {
  if (state === 'delivered' || (attempts.length === 0 && state !== 'failed')) return false
  return !attempts.some(({ status }) => isSuccess(status))
}

async function redeliver(
  emulator: Control,
  { id, event }: DeliveryView,
  { exact, tamper }: ReplayFlags,
): Promise<Outcome> {
  const { attempt } = await emulator.change<{ attempt: AttemptView }>('POST', `deliveries/${id}/redeliver`, {
    ...(exact && { exact }),
    ...(tamper !== undefined && { tamper }),
  })
  const { status, error, tookMs, request } = attempt
  const about = { event, id, url: request.url, status, ...(error !== undefined && { error }), ms: tookMs }
  return { ...about, mustBeRefused: tamper !== undefined || isStale(request.headers) }
}

/** Posts to another receiver. Signs here by the given secret, else by that of the emulator's subscription. */
async function posting(io: Io, emulator: Control, to: string, flags: ReplayFlags) {
  const { exact, tamper } = flags
  const url = readReceiver(to, '--to', flags)
  const prefix = prefixFrom(io, flags)
  const known = secretFrom(io, flags) ?? (await emulator.get<Credentials>('credentials')).signingSecret
  const secret = known ?? needSecret(io, flags)
  const events = await emulator.get<{ items: readonly EventView[] }>('events')
  return async ({ id, event, eventId, attempts }: DeliveryView): Promise<Outcome> => {
    const last = attempts.at(-1)?.request
    if (exact && last === undefined)
      throw new Error(`delivery ${id} was not attempted yet, so there is nothing to repeat`)
    // The event's own bytes, since an attempt may have been tampered with.
    const payload = events.items.find((one) => one.id === eventId)?.payload ?? last?.body ?? ''
    const signed =
      exact && last
        ? { url, headers: last.headers, body: Buffer.from(last.body) }
        : signedRequest({ url, event, id, body: Buffer.from(payload), secret, at: Date.now(), prefix })
    const request = alterRequest(signed, deliveryHeaders(prefix), { tamper })
    const mustBeRefused = tamper !== undefined || isStale(request.headers)
    return { event, id, url, ...(await postDelivery(request)), mustBeRefused }
  }
}

/** Tells whether a receiver must refuse a delivery for its timestamp, whatever the prefix of its header. */
function isStale(headers: Readonly<Record<string, string>>): boolean {
  const [, seconds] = Object.entries(headers).find(([name]) => /-timestamp$/i.test(name)) ?? []
  return Math.abs(Math.floor(Date.now() / 1_000) - Number(seconds)) > TIMESTAMP_TOLERANCE_SECONDS
}
