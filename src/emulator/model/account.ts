import { randomBytes } from 'node:crypto'

export interface BusinessNumber {
  readonly id: string
  readonly display: string
}

/** A number of the workspace. The upstream platform issues the token, and several numbers may hold the same one. */
export interface ConnectedNumber extends BusinessNumber {
  token: string
  /** The upstream platform still knows the number; if not, its sends are 502 `send_failed`. */
  connected: boolean
  /** The time for which a send or a person's reply pauses the AI agent; null: human takeover is disabled, nothing pauses it. */
  takeoverMs: number | null
  /** The upstream platform's raw feed goes elsewhere: inbox, agent and order capture pause (DEL-10). */
  callbackOverride: boolean
}

export interface Account {
  /** Never empty; the first number is meant by a token and by a customer who name none. */
  numbers: readonly ConnectedNumber[]
  plan: { api: boolean; contactLimit: number | null }
  suspended: boolean
  /** All customers who wrote or were sent to: the contact limit counts them (SEND-20). */
  readonly contacts: Set<string>
  /** Opens the dashboard's own API alone; the messaging API refuses it like any unknown text (AUTH-03). */
  readonly dashboardKey: string
}

/** The emulated business: an invented number, of no country. */
const FIRST_NUMBER: BusinessNumber = { id: '109871234500011', display: '999000100200' }

/** The specification does not show the length of the takeover window; this default is the emulator's own. */
const DEFAULT_TAKEOVER_MS = 30 * 60_000

export function createAccount(token: string): Account {
  return {
    numbers: [newNumber(FIRST_NUMBER, token)],
    plan: { api: true, contactLimit: null },
    suspended: false,
    contacts: new Set(),
    dashboardKey: `dash_${randomBytes(24).toString('base64url')}`,
  }
}

export function newNumber({ id, display }: BusinessNumber, token: string): ConnectedNumber {
  return { id, display, token, connected: true, takeoverMs: DEFAULT_TAKEOVER_MS, callbackOverride: false }
}

export function newToken(): string {
  return `emulator_${randomBytes(24).toString('base64url')}`
}

/** Reconnects a number: all numbers that held its token hold another one at once, and none the old one (AUTH-02). */
export function rotateToken(account: Account, number: ConnectedNumber): void {
  const [old, token] = [number.token, newToken()]
  for (const each of account.numbers) if (each.token === old) each.token = token
}

export function firstNumber(account: Pick<Account, 'numbers'>): ConnectedNumber {
  const [first] = account.numbers
  if (first === undefined) throw new TypeError('an account without a number')
  return first
}

/** The number with that id, if it is still one of the workspace's. */
export function numberWithId(account: Pick<Account, 'numbers'>, id: string): ConnectedNumber | undefined {
  return account.numbers.find((number) => number.id === id)
}

/** The member that names a number in a thread: none for the first number. */
export function numberMember(account: Account, { id }: BusinessNumber): { readonly number?: string } {
  return id === firstNumber(account).id ? {} : { number: id }
}
