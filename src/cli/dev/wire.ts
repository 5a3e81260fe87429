import { FAILURES_UNTIL_DISABLED } from '../../contract/delivery.ts'
import type { SubscriptionView } from '../../emulator/control/subscriptions.ts'
import type { DeliveryChange, Happening } from '../../emulator/happening.ts'
import { isSuccess } from '../support/http.ts'

/** The kind of a line, which decides its colour. */
export type Tone = 'out' | 'in' | 'bad' | 'note'

export interface ActivityLine {
  readonly tone: Tone
  readonly text: string
  /** The id of the delivery that the line is about, which stands in its text. */
  readonly delivery?: string
}

/**
 * Returns a function from an event to its line: `-->` to the app, `<--` from the app, `!!` for a failure; undefined for
 * other events. A delivery has a line when it begins and one for each attempt.
 */
export function createActivityLines(): (happened: Happening) => ActivityLine | undefined {
  const reported = new Map<string, number>()
  return (happened) => {
    if (happened.kind === 'delivery') return deliveryLine(happened.delivery, reported)
    if (happened.kind === 'api') return callLine(happened)
    if (happened.kind === 'clock') return { tone: 'note', text: `*** the clock says ${happened.clock.now}` }
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

function callLine({ method, path, status, code }: Extract<Happening, { kind: 'api' }>): ActivityLine {
  const call = `${method} ${path}`
  if (status < 400) return { tone: 'in', text: `<-- ${call}  ${status}` }
  return { tone: 'bad', text: `!! ${status}${code === null ? '' : ` ${code}`}  ${call}` }
}

function endpointLine({ state, url }: SubscriptionView): ActivityLine | undefined {
  if (state !== 'disabled') return undefined
  return { tone: 'bad', text: `!! ${url} is disabled: ${FAILURES_UNTIL_DISABLED} deliveries in a row failed` }
}

/** The ends of a phone number, enough to tell two customers apart. */
export function shortened(digits: string): string {
  return digits.length > 6 ? `+${digits.slice(0, 3)}…${digits.slice(-3)}` : `+${digits}`
}
