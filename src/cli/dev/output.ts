import { styleText } from 'node:util'
import { FAILURES_UNTIL_DISABLED } from '../../contract/delivery.ts'
import type { Emulator } from '../../emulator/index.ts'
import { onBrokenPipe } from '../support/broken-pipe.ts'
import { isSuccess, readEventData } from '../support/http.ts'
import type { Io } from '../support/io.ts'
import { deliveryProblem } from '../support/outcome.ts'

/** The forms of output: lines for people, objects for programs, or only the app's own lines. */
export const OUTPUTS = ['pretty', 'json', 'quiet'] as const

export type Output = (typeof OUTPUTS)[number]

const COLOURS: Readonly<Record<Tone, 'cyan' | 'green' | 'red' | 'dim'>> = {
  out: 'cyan',
  in: 'green',
  bad: 'red',
  note: 'dim',
}

/** Returns a function that prints each event of the emulator in the chosen form. */
export function createActivityPrinter(
  io: Io,
  output: Output,
  print: (line: string) => void,
): (event: EmulatorEvent) => void {
  if (output === 'json') return (event) => io.out(JSON.stringify(event))
  if (output === 'quiet') return () => undefined
  const toLine = createActivityLines()
  return (event) => {
    const line = toLine(event)
    if (line !== undefined) print(lineFor(io, line, new Date()))
  }
}

function lineFor(io: Io, { tone, text }: ActivityLine, at: Date): string {
  // Coloured on a terminal, or as NO_COLOR and FORCE_COLOR say.
  return styleText(COLOURS[tone], `${at.toTimeString().slice(0, 8)} ${text}`, { stream: io.stderr })
}

/** Ends the run in good order if the program that reads the JSON goes away. */
export function stopOnBrokenPipe(output: Output, stop: () => void): void {
  if (output === 'json') onBrokenPipe(stop)
}

/** The kind of a line, which decides its colour. */
type Tone = 'out' | 'in' | 'bad' | 'note'

interface ActivityLine {
  readonly tone: Tone
  readonly text: string
}

interface DeliveryEvent {
  readonly id: string
  readonly event: string
  readonly customer: string | null
  readonly state: string
  readonly attempts: number
  readonly last?: {
    readonly status: number | null
    readonly error?: string
    readonly fault?: string
    readonly tookMs: number
  }
}

/**
 * Returns a function from an event to its line: `-->` to the app, `<--` from the app, `!!` for a failure; undefined for
 * other events. A delivery has a line when it begins and one for each attempt.
 */
function createActivityLines(): (happened: EmulatorEvent) => ActivityLine | undefined {
  const reported = new Map<string, number>()
  return (happened) => {
    if (happened.kind === 'delivery') return deliveryLine(happened['delivery'] as DeliveryEvent, reported)
    if (happened.kind === 'api') return callLine(happened)
    if (happened.kind === 'clock') return clockLine(happened['clock'] as { now: string })
    if (happened.kind === 'subscription')
      return endpointLine(happened['subscription'] as { state: string; url: string })
    return undefined
  }
}

function deliveryLine(delivery: DeliveryEvent, reported: Map<string, number>): ActivityLine | undefined {
  const { id, event, customer, attempts, state, last } = delivery
  const before = reported.get(id)
  if (state === 'pending') reported.set(id, attempts)
  else reported.delete(id)
  if (before === undefined && attempts === 0)
    return { tone: 'out', text: `--> ${event}${customer === null ? '' : `  ${shortened(customer)}`}  [${id}]` }
  if (last === undefined || attempts === before) return undefined
  const armed = last.fault === undefined ? '' : `, you armed \`${last.fault}\``
  const outcome = `${last.status ?? last.error} (${last.tookMs} ms)${armed}${attempts > 1 ? `, attempt ${attempts}` : ''}`
  return isSuccess(last.status)
    ? { tone: 'in', text: `<-- ${outcome}  [${id}]` }
    : { tone: 'bad', text: `!! ${outcome}  ${event}  [${id}]` }
}

function callLine({ method, path, status, code }: EmulatorEvent): ActivityLine {
  const call = `${String(method)} ${String(path)}`
  if (Number(status) < 400) return { tone: 'in', text: `<-- ${call}  ${String(status)}` }
  return { tone: 'bad', text: `!! ${String(status)}${typeof code === 'string' ? ` ${code}` : ''}  ${call}` }
}

function clockLine({ now }: { readonly now: string }): ActivityLine {
  return { tone: 'note', text: `*** the clock says ${now}` }
}

function endpointLine({ state, url }: { readonly state: string; readonly url: string }): ActivityLine | undefined {
  if (state !== 'disabled') return undefined
  return { tone: 'bad', text: `!! ${url} is disabled: ${FAILURES_UNTIL_DISABLED} deliveries in a row failed` }
}

/** The ends of a phone number, enough to tell two customers apart. */
function shortened(digits: string): string {
  return digits.length > 6 ? `+${digits.slice(0, 3)}…${digits.slice(-3)}` : `+${digits}`
}

/** An event of the emulator's stream. */
interface EmulatorEvent {
  readonly kind: string
  readonly [about: string]: unknown
}

/** Follows the emulator's stream until disposed of; rejects if there is none. */
export async function followStream(url: string, hear: (happened: EmulatorEvent) => void): Promise<Disposable> {
  const over = new AbortController()
  const answer = await fetch(`${url}/_emulator/stream`, { signal: over.signal })
  const read = async () => {
    for await (const data of readEventData(answer)) if (data !== undefined) hear(JSON.parse(data) as EmulatorEvent)
  }
  // The stream ends with the emulator or by disposal.
  void read().catch(() => undefined)
  return { [Symbol.dispose]: () => over.abort() }
}

type FailedDelivery = Awaited<ReturnType<Emulator['deliveries']['list']>>[number]

type Attempt = FailedDelivery['attempts'][number]

/** The longest delay of a timer. */
const FOREVER_MS = 2 ** 31 - 1

/** Reports each delivery whose first attempt failed, once; its retries are not reported. */
export function reportUndelivered(emulator: Emulator, print: (line: string) => void): Disposable {
  const reported = new Set<string>()
  let over = false
  const listen = async () => {
    while (!over) {
      const delivery = await emulator.deliveries.wait((one) => !reported.has(one.id) && failed(one), FOREVER_MS)
      reported.add(delivery.id)
      if (!over) print(undeliveredText(delivery.attempts[0] as Attempt))
    }
  }
  // `wait` also rejects when the emulator is reset or closed: then it is called again, or no more.
  const goOn = (): void => void listen().catch(() => (over ? undefined : goOn()))
  goOn()
  return {
    [Symbol.dispose]() {
      over = true
    },
  }
}

function failed({ attempts: [first] }: FailedDelivery): boolean {
  return first !== undefined && !isSuccess(first.status)
}

function undeliveredText({ request, ...outcome }: Attempt): string {
  return `  x not delivered: ${deliveryProblem(request.url, outcome)}`
}
