import { type Command, Option } from 'commander'
import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid } from '../base/errors.ts'
import { deliveryHeaders, TIMESTAMP_TOLERANCE_SECONDS } from '../contract/delivery.ts'
import type { Credentials } from '../emulator/control/account.ts'
import type { EventView } from '../emulator/control/deliveries.ts'
import type { AttemptView, DeliveryRequest, DeliveryView } from '../emulator/deliver/delivery.ts'
import { alterRequest } from '../emulator/deliver/request.ts'
import { isOwn } from '../inspect/delivery-states.ts'
import type { DeliveryRow } from '../stores/port/index.ts'
import type { Reader } from '../stores/port/reader.ts'
import { findDeliveries, pages } from './inbox/select.ts'
import { readCount } from './support/arguments.ts'
import { withReader } from './support/database.ts'
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
  type Tampering,
  TAMPERINGS,
} from './support/deliveries.ts'
import { type Control, EMULATOR_OPTIONS, runningEmulator, type RunningFlags } from './support/emulator.ts'
import type { Io } from './support/io.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .description(
      "deliver again what the running emulator delivered, or what is in an app's inbox: the same id and bytes, signed now",
    )
    .argument('<which>', "a delivery's id, last, or failed: all that were not accepted")
    .option('--exact', 'with the original timestamp and signature too')
    .addOption(new Option('--tamper <what>', 'change something after it was signed').choices(TAMPERINGS))
    .option('--offset <span>', 'sign with another time: -301s, +5m')
    .option('--duplicate [n]', 'several at the same time (default: 2)', readCount)
    .option('--to <url>', 'to this receiver, signed here, instead of the original one')
    .option('--database <file>', "from an app's inbox instead of the emulator: ids, or numbers (SEQ)")
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
Exit codes: 0 each was answered as it must be (2xx; 4xx where it was tampered with or is more than ${TIMESTAMP_TOLERANCE_SECONDS} s old), 1 one was
not, 2 usage, 3 no emulator or receiver answers, 4 --to is not this machine and there is no --yes.

Example:
  $ switchhook replay last --tamper signature
`

interface ReplayFlags extends RunningFlags, ReceiverFlags {
  readonly exact?: boolean
  readonly tamper?: Tampering
  readonly offset?: string
  /** True if the flag has no number. */
  readonly duplicate?: true | number
  readonly to?: string
  readonly database?: string
}

/** Delivers again, and exits with 1 if a receiver does not answer as it must. */
async function replay(io: Io, which: string, flags: ReplayFlags): Promise<void> {
  const how = optionsFrom(flags)
  const sends = await attemptsFor(io, which, how, flags)
  const copies = flags.duplicate === true ? 2 : (flags.duplicate ?? 1)
  const outcomes: Outcome[] = []
  for (const send of sends) outcomes.push(...(await Promise.all(Array.from({ length: copies }, send))))
  if (outcomes.length === 0) io.err('Nothing has failed.')
  await printOutcomes(io, flags, outcomes)
}

/** A function for each selected delivery that delivers it once. */
async function attemptsFor(
  io: Io,
  which: string,
  how: ReplayOptions,
  flags: ReplayFlags,
): Promise<readonly (() => Promise<Outcome>)[]> {
  if (flags.database !== undefined) {
    const found = await findInDatabase(io, flags.database, which)
    if (flags.to === undefined) throw optionsInvalid('--database: name the receiver with --to')
    return postRecorded(io, found, how, { ...flags, to: flags.to }, undefined)
  }
  const emulator = runningEmulator(io, flags)
  const found = await findInEmulator(emulator, which)
  return flags.to === undefined
    ? found.map((delivery) => () => redeliver(emulator, delivery, how))
    : postRecorded(io, found, how, { ...flags, to: flags.to }, emulator)
}

function optionsFrom({ exact = false, tamper, offset, database }: ReplayFlags): ReplayOptions {
  if (exact && offset !== undefined) throw optionsInvalid('--exact keeps the time of then, so it goes without --offset')
  if (exact && database !== undefined)
    throw optionsInvalid('--exact: an inbox keeps no signatures, so what is in it is signed anew')
  return { exact, tamper, offset, offsetMs: offset === undefined ? 0 : signedMs(offset) }
}

function signedMs(span: string): number {
  const [, sign, size] = /^([+-]?)(.+)$/.exec(span) ?? []
  return toMs((size ?? '') as Duration, '--offset') * (sign === '-' ? -1 : 1)
}

/** A past delivery, as far as it is kept. */
export interface RecordedDelivery {
  readonly id: string
  readonly event: string
  readonly body: Buffer
  /** The last request, with its body as text; an app's inbox keeps none. */
  readonly request?: { readonly headers: Readonly<Record<string, string>>; readonly body: string } | undefined
}

export interface ReplayOptions {
  readonly exact: boolean
  readonly tamper: Tampering | undefined
  /** The flag's text, and its value in milliseconds. */
  readonly offset: string | undefined
  readonly offsetMs: number
}

/** Tells whether a receiver must refuse a timestamp, in Unix seconds. */
export function isStale(timestamp: number): boolean {
  return Math.abs(Math.floor(Date.now() / 1_000) - timestamp) > TIMESTAMP_TOLERANCE_SECONDS
}

/** The timestamp among a delivery's headers, whatever their prefix. */
export function timestampIn(headers: Readonly<Record<string, string>>): number {
  const [, value] = Object.entries(headers).find(([name]) => /-timestamp$/i.test(name)) ?? []
  return Number(value)
}

/** Finds deliveries of an emulator. @throws Error if there is none with that id, or none at all. */
export async function findInEmulator(emulator: Control, which: string): Promise<readonly RecordedDelivery[]> {
  const { items } = await emulator.get<{ items: readonly DeliveryView[] }>('deliveries')
  const found = deliveriesFor(items, which)
  if (found.length === 0) return []
  const events = await emulator.get<{ items: readonly EventView[] }>('events')
  return found.map(({ id, event, eventId, attempts }) => {
    const request = attempts.at(-1)?.request
    // The event's own bytes, since an attempt may have been tampered with.
    const payload = events.items.find((one) => one.id === eventId)?.payload ?? request?.body ?? ''
    return { id, event, body: Buffer.from(payload), request }
  })
}

function deliveriesFor(items: readonly DeliveryView[], which: string): readonly DeliveryView[] {
  if (which === 'failed') return items.filter(isFailed)
  const found = which === 'last' ? items.at(-1) : items.find(({ id }) => id === which.toUpperCase())
  if (found !== undefined) return [found]
  throw new Error(
    which === 'last'
      ? 'nothing was delivered yet: `switchhook trigger` lets something happen'
      : `the emulator knows no delivery ${JSON.stringify(which)}; \`last\` is the latest`,
  )
}

/** Tells whether a delivery has failed so far, even if it will be retried. */
function isFailed({ attempts, state }: DeliveryView): boolean {
  return (
    state !== 'delivered' &&
    (state === 'failed' || attempts.length > 0) &&
    !attempts.some(({ status }) => isSuccess(status))
  )
}

/** Finds deliveries in an app's inbox; `failed` selects its dead letters. */
export async function findInDatabase(io: Io, file: string, which: string): Promise<readonly RecordedDelivery[]> {
  return withReader(io, { database: file }, async (reader) => {
    const originals: RecordedDelivery[] = []
    for (const row of await rowsFor(reader, which)) originals.push(await originalOf(reader, row))
    return originals
  })
}

async function rowsFor(reader: Reader, which: string): Promise<readonly DeliveryRow[]> {
  if (which === 'failed') return listed(reader, { states: ['dead'] })
  if (which !== 'last') return (await findDeliveries(reader, which)).slice(0, 1)
  const latest = await listed(reader, {}, 1)
  if (latest.length > 0) return latest
  throw new Error('nothing is in the inbox yet')
}

async function listed(reader: Reader, query: { states?: readonly 'dead'[] }, limit?: number) {
  const rows: DeliveryRow[] = []
  for await (const page of pages(reader, query)) {
    rows.push(...page.filter((row) => !isOwn(row)))
    if (limit !== undefined && rows.length >= limit) break
  }
  // As they came.
  return rows.slice(0, limit).toReversed()
}

async function originalOf(reader: Reader, row: DeliveryRow): Promise<RecordedDelivery> {
  const { seq, deliveryId, event } = row
  if (isOwn(row)) throw new Error(`${seq} cannot be replayed: the bot itself told it, and no service ever delivered it`)
  const body = (await reader.deliveryDetail(seq))?.body
  if (body === undefined)
    throw new Error(`delivery ${seq} cannot be replayed: its bytes are gone, since \`retention\` keeps them no longer`)
  if (deliveryId === undefined || event === undefined)
    throw new Error(`delivery ${seq} cannot be replayed: it came without an id or an event that could be understood`)
  return { id: deliveryId, event, body: Buffer.from(body) }
}

/** Lets the emulator deliver again to the same address. */
export async function redeliver(
  emulator: Control,
  { id, event }: RecordedDelivery,
  how: ReplayOptions,
): Promise<Outcome> {
  const { exact, tamper, offset } = how
  const { attempt } = await emulator.change<{ attempt: AttemptView }>('POST', `deliveries/${id}/redeliver`, {
    ...(exact && { exact }),
    ...(tamper !== undefined && { tamper }),
    ...(offset !== undefined && { timestampOffset: offset }),
  })
  const { status, error, tookMs } = attempt
  const mustBeRefused = tamper !== undefined || isStale(timestampIn(attempt.request.headers))
  return {
    event,
    id,
    url: attempt.request.url,
    status,
    ...(error !== undefined && { error }),
    ms: tookMs,
    mustBeRefused,
  }
}

/** To another receiver: signed here, by the secret that is given, else by that of the emulator's subscription. */
export async function postRecorded(
  io: Io,
  found: readonly RecordedDelivery[],
  how: ReplayOptions,
  flags: ReceiverFlags & { readonly to: string },
  emulator: Control | undefined,
): Promise<readonly (() => Promise<Outcome>)[]> {
  const url = readReceiver(flags.to, '--to', flags)
  const prefix = prefixFrom(io, flags)
  const secret = how.exact
    ? ''
    : (secretFrom(io, flags) ?? (emulator && (await secretOf(emulator))) ?? needSecret(io, flags))
  return found.map((original) => async () => {
    const request = how.exact
      ? exactly(original, url, how, prefix)
      : signedRequest({ ...original, url, secret, at: Date.now() + how.offsetMs, prefix, tamper: how.tamper })
    const mustBeRefused = how.tamper !== undefined || isStale(timestampIn(request.headers))
    return { event: original.event, id: original.id, url, ...(await postDelivery(request)), mustBeRefused }
  })
}

function exactly(
  { id, request }: RecordedDelivery,
  url: string,
  { tamper }: ReplayOptions,
  prefix: string,
): DeliveryRequest {
  if (request === undefined) throw new Error(`delivery ${id} was not attempted yet, so there is nothing to repeat`)
  const { headers, body } = request
  return alterRequest({ url, headers, body: Buffer.from(body) }, deliveryHeaders(prefix), { tamper })
}

async function secretOf(emulator: Control): Promise<string | undefined> {
  const { signingSecret } = await emulator.get<Credentials>('credentials')
  return signingSecret ?? undefined
}
