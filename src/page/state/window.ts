import type { Customer } from '../wire/types.ts'

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
