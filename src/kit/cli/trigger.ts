import type { Command } from 'commander'
import { optionsInvalid } from '../../base/errors.ts'
import { deliveryHeaders, EVENT_NAME_FORM, EVENTS, type EventName } from '../../service/delivery.ts'
import { signedRequest } from '../../emulator/deliver/request.ts'
import { createIds } from '../../emulator/model/ids.ts'
import { readCount, readCustomer } from './support/arguments.ts'
import {
  firstAttempts,
  requireSecret,
  type DeliveryResult,
  postDelivery,
  prefixFrom,
  printResults,
  readReceiver,
  RECEIVER_OPTIONS,
  type ReceiverFlags,
} from './support/posted-deliveries.ts'
import {
  type Control,
  ControlRefused,
  EMULATOR_OPTIONS,
  runningEmulator,
  type RunningFlags,
} from './support/running-emulator.ts'
import type { Io } from './support/io.ts'
import { isRecord, parseJson } from '../../base/value.ts'
import { examplePayload } from '../../emulator/events/examples.ts'
import { locationSchema, type Signal, signalSchema } from '../../emulator/actors/signals.ts'
import type { InboundLocation } from '../../emulator/model/thread.ts'
import { RECEIVED_SHAPES } from '../../emulator/events/received.ts'
import { firstNumber } from '../../emulator/model/account.ts'
import { resolveOptions } from '../../emulator/emulator-options.ts'
import { createWorld } from '../../emulator/world.ts'
import { readInput } from './support/files.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .description('trigger an event in the running emulator, or sign it and post it straight to --url')
    .argument('[event]', 'its name, such as message.received; a fixture of --data names its own')
    .option('--from <digits>', 'the customer of the event', readCustomer, '255712000101')
    .option('--number <id>', 'the connected number of the event (default: the first)')
    .option('--text <text>', 'what the customer writes')
    .option('--tap <id>', 'the button or row that the customer taps')
    .option('--react <emoji>', 'the reaction of the customer to the newest message')
    .option('--location <place>', "where the customer is, such as '-6.8,39.28'", readLocation)
    .option(
      '--signal <kind>',
      'what nobody writes: edited (with --text), deleted, sticker, call, system or unknown',
      readSignal,
    )
    .option('--data <file>', 'the payload in a file; - for stdin')
    .option('--times <n>', 'how many times, each a new delivery', readCount, 1)
    .option('--url <url>', 'sign it here and post it to this address; no emulator is needed')
    .option(...RECEIVER_OPTIONS.secret)
    .option(...RECEIVER_OPTIONS.prefix)
    .option(...RECEIVER_OPTIONS.yes)
    .option(...EMULATOR_OPTIONS.address)
    .option(...EMULATOR_OPTIONS.token)
    .option('--dry-run', 'print the payload on stdout and deliver nothing')
    .option('--json', 'one object a line on stdout: {"event":"…","id":"01J…","status":200,"ms":23,"ok":true}')
    .addHelpText('after', HELP)
    .action((named, flags) => trigger(io, named, flags))
}

const HELP = `
Through the emulator a customer's message also appears on the phone and opens the window; with --data only the payload is
delivered. Exit codes: 0 every delivery was answered with 2xx, 1 one was not, 2 usage, 3 no emulator or receiver
answers, 4 --url is not this machine and there is no --yes.

Example:
  $ switchhook trigger message.received --from 255712000101 --text hours
`

interface TriggerFlags extends RunningFlags, ReceiverFlags, PayloadFlags {
  readonly times: number
  readonly url?: string
  readonly dryRun?: boolean
}

async function trigger(io: Io, named: string | undefined, flags: TriggerFlags): Promise<void> {
  check(named, flags)
  const next = await payloadsFrom(io, named, flags)
  if (flags.dryRun) return printPayload(io, next(), flags)
  const payloads = Array.from({ length: flags.times }, next)
  const results =
    flags.url === undefined
      ? await throughEmulator(io, payloads, flags)
      : await postToUrl(io, flags.url, payloads, flags)
  await printResults(io, flags, results)
}

async function throughEmulator(io: Io, payloads: readonly Payload[], flags: TriggerFlags) {
  const emulator = runningEmulator(io, flags)
  const ids: string[] = []
  for (const payload of payloads) {
    const { event, exact } = payload
    const made = exact ? fireRaw(emulator, payload, flags) : actAsCustomer(io, emulator, event, flags)
    ids.push(...(await made).deliveryIds)
  }
  if (ids.length === 0)
    throw new Error(
      'it happened but was not delivered: no endpoint is active (too many deliveries failed in a row, or none is registered), or this event is switched off',
    )
  return await firstAttempts(emulator, ids)
}

function printPayload(io: Io, { event, body }: Payload, { json }: TriggerFlags): void {
  const text = body.toString('utf8')
  io.out(json ? JSON.stringify({ event, body: text }) : text.trimEnd())
  io.err(`Nothing was delivered. ${event} has several shapes; this is one of them.`)
}

function check(named: string | undefined, { text, tap, data, react, location, signal }: TriggerFlags): void {
  if (named !== undefined && !EVENT_NAME_FORM.test(named))
    throw optionsInvalid(
      `an event's name is made of letters, digits, dots, dashes and underscores, got ${JSON.stringify(named)}`,
    )
  const said = [signal === 'edited' ? undefined : text, tap, react, location, signal].filter((one) => one !== undefined)
  if (said.length > (data === undefined ? 1 : 0))
    throw optionsInvalid('--text, --tap, --react, --location, --signal and --data exclude each other')
  if (said.length > 0 && named !== undefined && named !== 'message.received')
    throw optionsInvalid(`--text, --tap, --react, --location and --signal are for message.received, not for ${named}`)
}

type Delivered = { readonly deliveryIds: readonly string[] }

function fireRaw(emulator: Control, { event, body }: Payload, { from, number }: CustomerMessage): Promise<Delivered> {
  return emulator.change('POST', 'events', { event, raw: body.toString('utf8'), customer: from, number })
}

function actAsCustomer(io: Io, emulator: Control, event: string, said: CustomerMessage): Promise<Delivered> {
  const { from, number } = said
  if (event === 'message.received') return writeMessage(io, emulator, said)
  return emulator.change('POST', 'events', { event, customer: from, number })
}

async function writeMessage(
  io: Io,
  emulator: Control,
  { from, number, text = GREETING, tap, react, location, signal }: CustomerMessage,
): Promise<Delivered> {
  const write = (what: object) => emulator.change<Delivered>('POST', `customers/${from}/messages`, { ...what, number })
  if (react !== undefined) return write({ signal: { kind: 'reaction', emoji: react } })
  if (signal !== undefined) return write({ signal: { kind: signal, ...(signal === 'edited' && { text }) } })
  if (location !== undefined) return write({ location })
  if (tap === undefined) return write({ text })
  try {
    return await write({ tap })
  } catch (error) {
    if (!(error instanceof ControlRefused && error.code === 'not_on_phone')) throw error
    io.err(`The phone shows no option ${tap}; it is tapped anyway.`)
    return write({ tap: { id: tap } })
  }
}

async function postToUrl(
  io: Io,
  address: string,
  payloads: readonly Payload[],
  flags: ReceiverFlags,
): Promise<DeliveryResult[]> {
  const url = readReceiver(address, '--url', flags)
  const [secret, names] = [requireSecret(io, flags), deliveryHeaders(prefixFrom(io, flags))]
  const ids = createIds(Math.random)
  const results: DeliveryResult[] = []
  for (const { event, body } of payloads) {
    const at = Date.now()
    const id = ids.delivery(at)
    const request = signedRequest({ id, event, body, subscription: { url, secret } }, names, undefined, at)
    results.push({ event, id, url, ...(await postDelivery(request)) })
  }
  return results
}

interface Payload {
  readonly event: string
  readonly body: Buffer
  /** If true, deliver exactly these bytes; otherwise any payload of the event. */
  readonly exact: boolean
}

interface CustomerMessage {
  readonly from: string
  readonly number?: string
  readonly text?: string
  readonly tap?: string
  readonly react?: string
  readonly location?: InboundLocation
  readonly signal?: Signal['kind']
}

interface PayloadFlags extends CustomerMessage {
  readonly data?: string
}

/** Returns a function that makes payloads: a new one at each call, except with `--data`. */
async function payloadsFrom(io: Io, named: string | undefined, wanted: PayloadFlags): Promise<() => Payload> {
  const { data } = wanted
  if (data !== undefined) {
    const payload = fromData(named, await readInput(io, data, '--data'))
    return () => payload
  }
  if (named === undefined) throw optionsInvalid('name the event, such as message.received')
  return () => ({ event: named, body: bytesOf(examplePayloadOf(named, wanted)), exact: false })
}

/** The payload in a file: the file's own bytes, or the content of a fixture. */
function fromData(named: string | undefined, bytes: Buffer): Payload {
  // The input is empty if the program before the pipe failed.
  if (bytes.length === 0) throw optionsInvalid('--data: it is empty; expected the payload')
  const fixture = fixtureIn(parseJson(bytes.toString('utf8')))
  const event = named ?? fixture?.event
  if (event === undefined) throw optionsInvalid('--data: pass the event, because the payload does not name it')
  return { event, body: fixture === undefined ? bytes : bytesOf(fixture.payload), exact: true }
}

/** A fixture as `payload export` writes it, `{"event":"…","payload":{…}}`; undefined for anything else. */
function fixtureIn(json: unknown): { event: string; payload: unknown } | undefined {
  if (!isRecord(json)) return undefined
  const { event, payload, facts: _, ...others } = json
  if (Object.keys(others).length > 0) return undefined
  return typeof event === 'string' && typeof payload === 'object' ? { event, payload } : undefined
}

function bytesOf(payload: unknown): Buffer {
  return Buffer.from(JSON.stringify(payload))
}

const SHAPE = 0

/** Makes a payload, always in the same shape. For an unknown event it has only the id and the name. */
function examplePayloadOf(event: string, written: CustomerMessage): unknown {
  const world = createWorld(resolveOptions({ assumptions: { payloadShape: SHAPE } }))
  try {
    const { state } = world
    const first = firstNumber(state.account)
    const number = { ...first, id: written.number ?? first.id }
    const about = { eventId: state.ids.event(), number, now: state.clock.now() }
    if (!Object.hasOwn(EVENTS, event)) return { id: about.eventId, event, data: {} }
    if (event !== 'message.received') return examplePayload(state, event as EventName, written.from, about)
    const message = { id: state.ids.message(), upstreamId: state.ids.upstream(), at: about.now }
    return RECEIVED_SHAPES[SHAPE]?.({ ...message, ...messageContent(written) }, about)
  } finally {
    world.close()
  }
}

function readLocation(given: string): InboundLocation {
  const [latitude, longitude, ...more] = given.split(',').map(Number)
  const read = locationSchema.safeParse({ latitude, longitude })
  if (read.success && more.length === 0) return read.data
  throw optionsInvalid("--location: expected a latitude and a longitude, such as '-6.8,39.28'")
}

function readSignal(given: string): Signal['kind'] {
  const { kind } = signalSchema.shape
  const read = kind.safeParse(given)
  if (read.success) return read.data
  throw optionsInvalid(`--signal: expected one of ${kind.options.join(', ')}`)
}

function messageContent({ from, text, tap, react, location, signal }: CustomerMessage) {
  const customer = { customer: from, name: `Customer ${from.slice(-3)}` }
  const id = SOME_MESSAGE
  if (react !== undefined) return { ...customer, kind: 'reaction' as const, reaction: { emoji: react, to: id } }
  if (location !== undefined) return { ...customer, kind: 'location' as const, location }
  if (signal === 'edited') return { ...customer, kind: signal, id, text: text ?? GREETING }
  if (signal !== undefined) return { ...customer, kind: signal, ...(signal === 'deleted' && { id }) }
  if (tap === undefined) return { ...customer, kind: 'text' as const, text: text ?? GREETING }
  return { ...customer, kind: 'interactive' as const, tapped: { type: 'button_reply' as const, id: tap, title: tap } }
}

const SOME_MESSAGE = '00000000-0000-4000-8000-000000000001'
const GREETING = 'Habari'
