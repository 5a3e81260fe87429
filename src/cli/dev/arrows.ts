import { FAILURES_UNTIL_DISABLED } from '../../contract/delivery.ts'
import { isSuccess } from '../success.ts'
import type { Happened } from './stream.ts'

/** How a line is to be taken. */
export type Tone = 'out' | 'in' | 'bad' | 'note'

export interface Arrow {
  readonly tone: Tone
  readonly words: string
}

interface Delivery {
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
export function createArrows(): (happened: Happened) => Arrow | undefined {
  const told = new Map<string, number>()
  return (happened) => {
    if (happened.kind === 'delivery') return ofDelivery(happened['delivery'] as Delivery, told)
    if (happened.kind === 'api') return ofCall(happened)
    if (happened.kind === 'clock') return ofClock(happened['clock'] as { now: string })
    if (happened.kind === 'subscription') return ofEndpoint(happened['subscription'] as { state: string; url: string })
    return undefined
  }
}

function ofDelivery(delivery: Delivery, told: Map<string, number>): Arrow | undefined {
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

function ofCall({ method, path, status, code }: Happened): Arrow {
  const call = `${String(method)} ${String(path)}`
  if (Number(status) < 400) return { tone: 'in', words: `<-- ${call}  ${String(status)}` }
  return { tone: 'bad', words: `!! ${String(status)}${typeof code === 'string' ? ` ${code}` : ''}  ${call}` }
}

function ofClock({ now }: { readonly now: string }): Arrow {
  return { tone: 'note', words: `*** the clock says ${now}` }
}

function ofEndpoint({ state, url }: { readonly state: string; readonly url: string }): Arrow | undefined {
  if (state !== 'disabled') return undefined
  return { tone: 'bad', words: `!! ${url} is disabled: ${FAILURES_UNTIL_DISABLED} deliveries in a row failed` }
}

/** Enough to tell two customers apart at a glance. */
function shortened(digits: string): string {
  return digits.length > 6 ? `+${digits.slice(0, 3)}…${digits.slice(-3)}` : `+${digits}`
}
