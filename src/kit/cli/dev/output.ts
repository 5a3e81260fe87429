import { styleText } from 'node:util'
import { readEventData } from '../../../emulator/http/event-stream.ts'
import { FAILURES_UNTIL_DISABLED } from '../../../service/delivery.ts'
import type { SubscriptionView } from '../../../emulator/control/deliveries-control.ts'
import type { DeliveryChange, Happening } from '../../../emulator/happening.ts'
import type { Emulator } from '../../../emulator/emulator.ts'
import { deliveryProblem, isSuccess } from '../support/posted-deliveries.ts'
import type { Control } from '../support/running-emulator.ts'
import { escaped, type Io } from '../support/io.ts'
import { FIRST_HELP } from './terminal.ts'

export const OUTPUTS = ['pretty', 'json', 'quiet'] as const

export type Output = (typeof OUTPUTS)[number]

const COLOURS: Readonly<Record<Tone, 'cyan' | 'green' | 'red' | 'dim'>> = {
  out: 'cyan',
  in: 'green',
  bad: 'red',
  note: 'dim',
}

interface Screen {
  readonly print: (line: string) => void
  /** True if deliveries, statuses and calls are shown; false if only the conversation is. */
  readonly showsWire: () => boolean
  /** True if the conversation on the screen is with this customer, so that it shows the sends to them. */
  readonly showsCustomer: (customer: string) => boolean
}

export function createActivityPrinter(io: Io, output: Output, screen: Screen): (event: Happening) => void {
  if (output === 'json') return (event) => io.out(JSON.stringify(event))
  if (output === 'quiet') return () => undefined
  const toLine = createActivityLines()
  return (event) => {
    const line = toLine(event)
    if (line !== undefined && (screen.showsWire() || isOfConversation(event, line, screen)))
      screen.print(lineFor(io, line))
  }
}

/**
 * Tells whether to print a line beside a conversation. Notes and failures are printed, except failures that the
 * conversation shows itself: a refused send to its customer, an undelivered message.
 */
function isOfConversation(happened: Happening, { tone }: ActivityLine, screen: Screen): boolean {
  if (tone === 'note') return true
  if (tone !== 'bad' || happened.kind === 'delivery') return false
  if (happened.kind !== 'api' || happened.customer === null) return true
  return !screen.showsCustomer(happened.customer) || happened.code === 'idempotency_in_progress'
}

function lineFor(io: Io, { tone, text }: ActivityLine): string {
  // Coloured on a terminal, or as NO_COLOR and FORCE_COLOR request.
  return styleText(COLOURS[tone], `${new Date().toTimeString().slice(0, 8)} ${escaped(text)}`, { stream: io.stderr })
}

/** Follows the emulator's stream until disposed of. Rejects if there is no stream. */
export async function followStream(control: Control, onEvent: (happened: Happening) => void): Promise<Disposable> {
  const over = new AbortController()
  const answer = await control.stream(over.signal)
  const read = async () => {
    for await (const data of readEventData(answer)) if (data !== undefined) onEvent(JSON.parse(data) as Happening)
  }
  // The stream ends with the emulator or by disposal.
  void read().catch(() => undefined)
  return { [Symbol.dispose]: () => over.abort() }
}

/** Reports each delivery whose first attempt failed, once, with a link to its row; its retries are not reported. */
export function createFailureReport(emulator: Emulator, print: (line: string) => void): (event: Happening) => void {
  const reported = new Set<string>()
  const report = async (id: string) => {
    const delivery = (await emulator.deliveries.list()).find((one) => one.id === id)
    const [first] = delivery?.attempts ?? []
    if (first === undefined) return
    const { request, ...outcome } = first
    const again =
      outcome.error === 'connection_refused' ? '\n    It is delivered again once the app listens there.' : ''
    print(`  x not delivered: ${deliveryProblem(request.url, outcome)}${again}\n    ${pageOf(emulator)}&delivery=${id}`)
  }
  return (event) => {
    if (event.kind !== 'delivery') return
    const { id, attempts, last } = event.delivery
    if (attempts !== 1 || last === undefined || isSuccess(last.status) || reported.has(id)) return
    reported.add(id)
    // The emulator may have been reset or closed meanwhile.
    report(id).catch(() => undefined)
  }
}

export type Tone = 'out' | 'in' | 'bad' | 'note'

export interface ActivityLine {
  readonly tone: Tone
  readonly text: string
}

/**
 * Returns a function from an event to its line: `-->` to the app, `<--` from the app, `!!` for a failure; undefined for
 * other events. A delivery has a line when it begins and one for each attempt.
 */
function createActivityLines(): (happened: Happening) => ActivityLine | undefined {
  const reported = new Map<string, number>()
  return (happened) => {
    if (happened.kind === 'delivery') return deliveryLine(happened.delivery, reported)
    if (happened.kind === 'api') return callLine(happened)
    if (happened.kind === 'clock') return { tone: 'note', text: `*** the clock shows ${happened.clock.now}` }
    if (happened.kind === 'subscription') return endpointLine(happened.subscription)
    return undefined
  }
}

function deliveryLine(delivery: DeliveryChange, reported: Map<string, number>): ActivityLine | undefined {
  const { id, event, status, customer, attempts, state, last } = delivery
  const title = status === undefined ? event : `${event} ${status.toLowerCase()}`
  const before = reported.get(id)
  if (state === 'pending') reported.set(id, attempts)
  else reported.delete(id)
  if (before === undefined && attempts === 0)
    return { tone: 'out', text: `--> ${title}${customer === null ? '' : `  ${shortened(customer)}`}  [${id}]` }
  if (last === undefined || attempts === before) return undefined
  const armed = last.fault === undefined ? '' : `, you armed \`${last.fault}\``
  const outcome = `${last.status ?? last.error} (${last.tookMs} ms)${armed}${attempts > 1 ? `, attempt ${attempts}` : ''}`
  return isSuccess(last.status)
    ? { tone: 'in', text: `<-- ${outcome}  [${id}]` }
    : { tone: 'bad', text: `!! ${outcome}  ${title}  [${id}]` }
}

function callLine({ method, path, status, code }: Extract<Happening, { kind: 'api' }>): ActivityLine {
  const call = `${method} ${path}`
  if (status < 400) return { tone: 'in', text: `<-- ${call}  ${status}` }
  return { tone: 'bad', text: `!! ${status}${code === null ? '' : ` ${code}`}  ${call}` }
}

function endpointLine({ state, url }: SubscriptionView): ActivityLine | undefined {
  if (state !== 'disabled') return undefined
  return { tone: 'bad', text: `!! ${url} is disabled: ${FAILURES_UNTIL_DISABLED} deliveries in a row failed` }
}

/** The ends of a phone number, enough to distinguish two customers. */
function shortened(digits: string): string {
  return digits.length > 6 ? `+${digits.slice(0, 3)}…${digits.slice(-3)}` : `+${digits}`
}

interface BannerOptions {
  readonly webhook: string
  readonly customer: string
  readonly numbers: readonly string[]
}

export function firstLines(emulator: Emulator): string {
  return `${FIRST_HELP}\n  Or use the page: ${pageOf(emulator)}\n`
}

/** The first lines without a terminal: addresses, and how to be the customer from a script. */
export function banner(emulator: Emulator, { webhook, customer, numbers }: BannerOptions): string {
  const at = `${emulator.url}/_emulator/customers/${customer}`
  const token = `-H 'Authorization: Bearer ${emulator.controlToken}'`
  return [
    ...addresses(emulator, webhook, numbers),
    'Write as a customer, and see what arrived:',
    `  curl -X POST ${at}/messages ${token} -H 'Content-Type: application/json' -d '{"text":"hours"}'`,
    `  curl ${at}/thread ${token}`,
    '',
  ].join('\n')
}

export function addresses(emulator: Emulator, webhook: string, numbers: readonly string[]): string[] {
  return [
    `The emulator runs at ${emulator.url}; no send leaves this machine.`,
    `Its page is ${pageOf(emulator)}`,
    `Deliveries go to ${webhook}. ${numbers.length > 1 ? 'The phone number ids are' : 'The phone number id is'} ${numbers.join(', ')}.`,
  ]
}

/** The page's address. The token is in the fragment, which a browser sends nowhere. */
function pageOf({ url, controlToken }: Pick<Emulator, 'url' | 'controlToken'>): string {
  return `${url}/#token=${encodeURIComponent(controlToken)}`
}
