import { FAILURES_UNTIL_DISABLED } from '../../contract/delivery.ts'
import { isSuccess } from '../support/http.ts'

/** An event of the emulator's stream. */
export interface EmulatorEvent {
  readonly kind: string
  readonly [about: string]: unknown
}

/** The kind of a line, which decides its colour. */
export type Tone = 'out' | 'in' | 'bad' | 'note'

export interface ActivityLine {
  readonly tone: Tone
  readonly text: string
  /** The id of the delivery that the line is about, which stands in its text. */
  readonly delivery?: string
}

interface DeliveryEvent {
  readonly id: string
  readonly event: string
  readonly customer: string | null
  /** The status that a `message.status` tells of. */
  readonly status?: string
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
export function createActivityLines(): (happened: EmulatorEvent) => ActivityLine | undefined {
  const reported = new Map<string, number>()
  return (happened) => {
    if (happened.kind === 'delivery') return deliveryLine(happened['delivery'] as DeliveryEvent, reported)
    if (happened.kind === 'api') return callLine(happened)
    if (happened.kind === 'clock')
      return { tone: 'note', text: `*** the clock says ${(happened['clock'] as { now: string }).now}` }
    if (happened.kind === 'subscription')
      return endpointLine(happened['subscription'] as { state: string; url: string })
    return undefined
  }
}

function deliveryLine(delivery: DeliveryEvent, reported: Map<string, number>): ActivityLine | undefined {
  const { id, event, status, customer, attempts, state, last } = delivery
  const title = status === undefined ? event : `${event} ${status.toLowerCase()}`
  const before = reported.get(id)
  if (state === 'pending') reported.set(id, attempts)
  else reported.delete(id)
  if (before === undefined && attempts === 0)
    return {
      tone: 'out',
      delivery: id,
      text: `--> ${title}${customer === null ? '' : `  ${shortened(customer)}`}  [${id}]`,
    }
  if (last === undefined || attempts === before) return undefined
  const armed = last.fault === undefined ? '' : `, you armed \`${last.fault}\``
  const outcome = `${last.status ?? last.error} (${last.tookMs} ms)${armed}${attempts > 1 ? `, attempt ${attempts}` : ''}`
  return isSuccess(last.status)
    ? { tone: 'in', delivery: id, text: `<-- ${outcome}  [${id}]` }
    : { tone: 'bad', delivery: id, text: `!! ${outcome}  ${title}  [${id}]` }
}

function callLine({ method, path, status, code }: EmulatorEvent): ActivityLine {
  const call = `${String(method)} ${String(path)}`
  if (Number(status) < 400) return { tone: 'in', text: `<-- ${call}  ${String(status)}` }
  return { tone: 'bad', text: `!! ${String(status)}${typeof code === 'string' ? ` ${code}` : ''}  ${call}` }
}

function endpointLine({ state, url }: { readonly state: string; readonly url: string }): ActivityLine | undefined {
  if (state !== 'disabled') return undefined
  return { tone: 'bad', text: `!! ${url} is disabled: ${FAILURES_UNTIL_DISABLED} deliveries in a row failed` }
}

/** The ends of a phone number, enough to tell two customers apart. */
export function shortened(digits: string): string {
  return digits.length > 6 ? `+${digits.slice(0, 3)}…${digits.slice(-3)}` : `+${digits}`
}
