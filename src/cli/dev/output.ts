import { styleText } from 'node:util'
import { FAILURES_UNTIL_DISABLED } from '../../contract/delivery.ts'
import type { Emulator } from '../../emulator/index.ts'
import { onBrokenPipe } from '../support/broken-pipe.ts'
import { isSuccess, readEventData } from '../support/http.ts'
import { deliveryProblem } from '../support/outcome.ts'
import type { Io } from '../support/io.ts'

/** What is shown of all that happens: lines for people, objects for programs, or nothing but what the app says. */
export const OUTPUTS = ['pretty', 'json', 'quiet'] as const

export type Output = (typeof OUTPUTS)[number]

const COLOURS: Readonly<Record<Tone, 'cyan' | 'green' | 'red' | 'dim'>> = {
  out: 'cyan',
  in: 'green',
  bad: 'red',
  note: 'dim',
}

/** Hears what happens, and shows it as is asked for. */
export function createActivityPrinter(
  io: Io,
  output: Output,
  print: (line: string) => void,
): (happened: EmulatorEvent) => void {
  if (output === 'json') return (happened) => io.out(JSON.stringify(happened))
  if (output === 'quiet') return () => undefined
  const arrowOf = createActivityLines()
  return (happened) => {
    const arrow = arrowOf(happened)
    if (arrow !== undefined) print(lineFor(io, arrow, new Date()))
  }
}

function lineFor(io: Io, { tone, words }: ActivityLine, at: Date): string {
  // Coloured on a terminal, or as NO_COLOR and FORCE_COLOR say.
  return styleText(COLOURS[tone], `${at.toTimeString().slice(0, 8)} ${words}`, { stream: io.stderr })
}

/** A program that reads along and goes ends the run in good order. */
export function stopOnBrokenPipe(output: Output, stop: () => void): void {
  if (output === 'json') onBrokenPipe(stop)
}

/** How a line is to be taken. */
export type Tone = 'out' | 'in' | 'bad' | 'note'

export interface ActivityLine {
  readonly tone: Tone
  readonly words: string
}

interface DeliveryEvent {
  readonly id: string
  readonly event: string
  readonly customer: string | null
  readonly state: string
  readonly attempts: number
  readonly last?: { readonly status: number | null; readonly error?: string; readonly tookMs: number }
}

/**
 * What goes to the app (`-->`) and what comes from it (`<--`), a line each; undefined for what is neither. A delivery
 * is told of when it begins and at each attempt.
 */
export function createActivityLines(): (happened: EmulatorEvent) => ActivityLine | undefined {
  const told = new Map<string, number>()
  return (happened) => {
    if (happened.kind === 'delivery') return deliveryLine(happened['delivery'] as DeliveryEvent, told)
    if (happened.kind === 'api') return callLine(happened)
    if (happened.kind === 'clock') return clockLine(happened['clock'] as { now: string })
    if (happened.kind === 'subscription')
      return endpointLine(happened['subscription'] as { state: string; url: string })
    return undefined
  }
}

function deliveryLine(delivery: DeliveryEvent, told: Map<string, number>): ActivityLine | undefined {
  const { id, event, customer, attempts, state, last } = delivery
  const before = told.get(id)
  if (state === 'pending') told.set(id, attempts)
  else told.delete(id)
  if (before === undefined && attempts === 0)
    return { tone: 'out', words: `--> ${event}${customer === null ? '' : `  ${shortened(customer)}`}  [${id}]` }
  if (last === undefined || attempts === before) return undefined
  const outcome = `${last.status ?? last.error} (${last.tookMs} ms)${attempts > 1 ? `, attempt ${attempts}` : ''}`
  return isSuccess(last.status)
    ? { tone: 'in', words: `<-- ${outcome}  [${id}]` }
    : { tone: 'bad', words: `!! ${outcome}  ${event}  [${id}]` }
}

function callLine({ method, path, status, code }: EmulatorEvent): ActivityLine {
  const call = `${String(method)} ${String(path)}`
  if (Number(status) < 400) return { tone: 'in', words: `<-- ${call}  ${String(status)}` }
  return { tone: 'bad', words: `!! ${String(status)}${typeof code === 'string' ? ` ${code}` : ''}  ${call}` }
}

function clockLine({ now }: { readonly now: string }): ActivityLine {
  return { tone: 'note', words: `*** the clock says ${now}` }
}

function endpointLine({ state, url }: { readonly state: string; readonly url: string }): ActivityLine | undefined {
  if (state !== 'disabled') return undefined
  return { tone: 'bad', words: `!! ${url} is disabled: ${FAILURES_UNTIL_DISABLED} deliveries in a row failed` }
}

/** Enough to tell two customers apart at a glance. */
function shortened(digits: string): string {
  return digits.length > 6 ? `+${digits.slice(0, 3)}…${digits.slice(-3)}` : `+${digits}`
}

/** Something that happened in the emulator, as its stream tells it. */
export interface EmulatorEvent {
  readonly kind: string
  readonly [about: string]: unknown
}

/** Reads the emulator's stream until it is disposed of; rejects where there is none. */
export async function followStream(url: string, hear: (happened: EmulatorEvent) => void): Promise<Disposable> {
  const over = new AbortController()
  const answer = await fetch(`${url}/_emulator/stream`, { signal: over.signal })
  const read = async () => {
    for await (const data of readEventData(answer)) if (data !== undefined) hear(JSON.parse(data) as EmulatorEvent)
  }
  // It ends with the emulator, or because it was disposed of.
  void read().catch(() => undefined)
  return { [Symbol.dispose]: () => over.abort() }
}

type FailedDelivery = Awaited<ReturnType<Emulator['deliveries']['list']>>[number]

type Attempt = FailedDelivery['attempts'][number]

/** As long as a timer can be. */
const FOREVER_MS = 2 ** 31 - 1

/** Says of each delivery whose first attempt failed that it did, once; the retries go on in silence. */
export function reportUndelivered(emulator: Emulator, tell: (line: string) => void): Disposable {
  const told = new Set<string>()
  let over = false
  const listen = async () => {
    while (!over) {
      const delivery = await emulator.deliveries.wait((one) => !told.has(one.id) && failed(one), FOREVER_MS)
      told.add(delivery.id)
      if (!over) tell(undeliveredText(delivery.attempts[0] as Attempt))
    }
  }
  // A wait is also given up when the emulator is closed or reset: then there is another to listen to, or none.
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

export function undeliveredText({ status, error, request: { url } }: Attempt): string {
  return `  x not delivered: ${deliveryProblem(url, status, error)}`
}
