import { runAction } from '../../ui/components/messages.ts'
import { change } from '../wire/control.ts'
import type { Customer, Handset, Media } from '../wire/wire-types.ts'

export const DEFAULT_HANDSET: Handset = { online: true, blocked: false }

const HOUR = 3_600_000

export interface WindowState {
  readonly phase: 'open' | 'closed' | 'never'
  readonly tone: 'good' | 'warn' | 'bad' | ''
  readonly leftMs: number
}

export function windowOf(customer: Customer | undefined, number: string | undefined, now: number): WindowState {
  // `number` is undefined until the account is read. Until then the window of any number is shown.
  const window = customer?.windows.find((one) => number === undefined || one.number === number)
  if (window === undefined) return { phase: 'never', tone: '', leftMs: 0 }
  const leftMs = Date.parse(window.closesAt) - now
  if (leftMs <= 0) return { phase: 'closed', tone: '', leftMs: 0 }
  return { phase: 'open', tone: leftMs > 4 * HOUR ? 'good' : leftMs > HOUR ? 'warn' : 'bad', leftMs }
}

export function unusualSettings({ online, blocked }: Handset): string[] {
  return [!online && 'offline', blocked && 'blocks the business'].filter((text) => typeof text === 'string')
}

interface CustomerMessage {
  readonly text?: string
  readonly tap?: string
  readonly quickReply?: string
  readonly media?: Media
  readonly number?: string
}

export function sendAsCustomer(customer: string, message: CustomerMessage, onFailure?: () => void): void {
  runAction(() => change('POST', `customers/${customer}/messages`, message), onFailure)
}

export function setMessageStatus(customer: string, status: string, messageId: string): void {
  runAction(() => change('POST', `customers/${customer}/statuses`, { status, messageId }))
}
