import { signal } from '@preact/signals'
import { PHONE_FORM } from '../../contract/limits.ts'
import { attempt } from '../components/messages.ts'
import { change, read } from '../wire/control.ts'
import type { Customer, Handset, ThreadItem } from '../wire/types.ts'

/** Everybody with a phone, the one who was heard of last first. */
export const customers = signal<readonly Customer[]>([])

export async function loadCustomers(): Promise<void> {
  const { items } = await read<{ items: readonly Customer[] }>('customers')
  customers.value = items.toSorted((a, b) => (b.last?.at ?? '').localeCompare(a.last?.at ?? ''))
}

/** Of a handset that nobody has switched. */
export const USUAL_HANDSET: Handset = { online: true, receipts: true, blocked: false }

const FRESH = { items: 0, last: null, windows: [], handset: USUAL_HANDSET }

export function placeHandset(customer: string, handset: Handset): void {
  const all = customers.peek()
  if (!all.some((one) => one.customer === customer)) customers.value = [...all, { customer, ...FRESH, handset }]
  else customers.value = all.map((one) => (one.customer === customer ? { ...one, handset } : one))
}

/** `isNew`: it was not on the phone before; undefined where nobody here knows. */
export function placeCustomer(customer: string, item: ThreadItem, isNew: boolean | undefined): void {
  const all = customers.peek()
  const known = all.find((one) => one.customer === customer) ?? { customer, ...FRESH }
  // An older one got another status, or the clock went back before a new one was written.
  if (known.last !== null && known.last.at > item.at && known.last.id !== item.id && isNew !== true)
    return isNew === undefined ? loadCustomersSoon() : undefined
  customers.value = [{ ...known, last: item }, ...all.filter((one) => one !== known)]
}

const SOON_MS = 50

let soon: ReturnType<typeof setTimeout> | undefined

function loadCustomersSoon(): void {
  soon ??= setTimeout(() => {
    soon = undefined
    // Where the emulator is gone, they are read once it is back.
    loadCustomers().catch(() => undefined)
  }, SOON_MS)
}

export function placeWindow(customer: string, window: { number: string; closesAt: string }): void {
  const all = customers.peek()
  const known = all.find((one) => one.customer === customer) ?? { customer, ...FRESH }
  const windows = [...known.windows.filter(({ number }) => number !== window.number), window]
  customers.value = [{ ...known, windows }, ...all.filter((one) => one !== known)]
}

const HOUR = 3_600_000

/** How a customer's window stands: `never` is nobody who wrote yet. */
export interface WindowState {
  readonly is: 'open' | 'closing' | 'last' | 'closed' | 'never'
  readonly leftMs: number
}

/** Of the window to one number, by the emulator's clock. */
export function windowOf(customer: Customer | undefined, number: string | undefined, now: number): WindowState {
  // Before the account is read nobody knows the number.
  const window = customer?.windows.find((one) => number === undefined || one.number === number)
  if (window === undefined) return { is: 'never', leftMs: 0 }
  const leftMs = Date.parse(window.closesAt) - now
  if (leftMs <= 0) return { is: 'closed', leftMs: 0 }
  return { is: leftMs > 4 * HOUR ? 'open' : leftMs > HOUR ? 'closing' : 'last', leftMs }
}

/** What is unusual about a handset, in words. */
export function odditiesOf({ online, receipts, blocked }: Handset): string[] {
  return [!online && 'offline', !receipts && 'no read receipts', blocked && 'blocks the business'].filter(
    (word) => typeof word === 'string',
  )
}

/** What a customer does on the phone, as the control API takes it. */
export interface Writing {
  readonly text?: string
  readonly tap?: string
  readonly quickReply?: string
  readonly media?: {
    readonly kind: string
    readonly url: string
    readonly mime?: string
    readonly filename?: string
    readonly caption?: string
    readonly durationMs?: number
  }
  readonly number?: string
}

/** The customer writes, taps or sends; what comes of it arrives by the stream. */
export function writeAs(customer: string, writing: Writing, refused?: () => void): void {
  attempt(() => change('POST', `customers/${customer}/messages`, writing), refused)
}

/** A message comes a step further by hand. */
export function moveOn(customer: string, status: string, messageId: string): void {
  attempt(() => change('POST', `customers/${customer}/statuses`, { status, messageId }))
}

/** A number that a person writes from, read as people write one: `+255 712 000 101`. Undefined where it is none. */
export function readDigits(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^\+/, '')
    .replaceAll(/[\s().-]/g, '')
  return PHONE_FORM.test(digits) ? digits : undefined
}
