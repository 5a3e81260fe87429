import { randomBytes } from 'node:crypto'

export interface BusinessNumber {
  readonly id: string
  readonly display: string
}

/** A number of the workspace. Several numbers may share one token. */
export interface ConnectedNumber extends BusinessNumber {
  token: string
  /** If false, the upstream platform does not know the number, and its sends get a 502 `send_failed`. */
  connected: boolean
  /** For how long a send or a person's reply pauses the AI agent; null if nothing pauses it. */
  agentPauseMs: number | null
  /** True if the upstream platform sends the number's messages to another receiver, not to this service (DEL-10). */
  callbackOverride: boolean
}

export interface Account {
  /** Never empty. If a request or an option names no number, the first one is meant. */
  numbers: readonly ConnectedNumber[]
  plan: { api: boolean; contactLimit: number | null }
  suspended: boolean
  /** All customers who wrote or got a message. The contact limit counts them (SEND-20). */
  readonly contacts: Set<string>
}

/** The number of the emulated business. It is invented, and no country has such numbers. */
const FIRST_NUMBER: BusinessNumber = { id: '109871234500011', display: '999000100200' }

/** How long a send pauses the AI agent. The specification does not state it. */
const DEFAULT_PAUSE_MS = 30 * 60_000

export function createAccount(token: string): Account {
  return {
    numbers: [newNumber(FIRST_NUMBER, token)],
    plan: { api: true, contactLimit: null },
    suspended: false,
    contacts: new Set(),
  }
}

export function newNumber({ id, display }: BusinessNumber, token: string): ConnectedNumber {
  return { id, display, token, connected: true, agentPauseMs: DEFAULT_PAUSE_MS, callbackOverride: false }
}

export function newToken(): string {
  return `emulator_${randomBytes(24).toString('base64url')}`
}

/** All numbers with this token get the new one, and the old one becomes invalid at once (AUTH-02). */
export function rotateToken(account: Account, number: ConnectedNumber): void {
  const [old, token] = [number.token, newToken()]
  for (const each of account.numbers) if (each.token === old) each.token = token
}

export function firstNumber(account: Pick<Account, 'numbers'>): ConnectedNumber {
  const [first] = account.numbers
  if (first === undefined) throw new TypeError('an account without a number')
  return first
}

export function numberWithId(account: Pick<Account, 'numbers'>, id: string): ConnectedNumber | undefined {
  return account.numbers.find((number) => number.id === id)
}

/** The member `number` of an item in a thread. Items of the first number do not have it. */
export function numberMember(account: Account, { id }: BusinessNumber): { readonly number?: string } {
  return id === firstNumber(account).id ? {} : { number: id }
}
