import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { BusinessNumber } from '../events/event.ts'
import { refuse } from '../http/messages.ts'
import { LONGEST_SPAN_MS } from './clock.ts'

/** A number of the workspace; its token is the upstream platform's, and more than one number may hold it. */
export interface ConnectedNumber extends BusinessNumber {
  token: string
  /** Whether the upstream platform still knows it: a send of one that it does not is 502 `send_failed`. */
  connected: boolean
  /** How long a send or a person's reply pauses the AI agent; null: human takeover is disabled, nothing pauses it. */
  takeoverMs: number | null
  /** The upstream platform's raw feed goes elsewhere: inbox, agent and order capture pause (DEL-10). */
  callbackOverride: boolean
}

/** The workspace as the dashboard and the plan have it. */
export interface Account {
  /** The first is the one that a token and a customer mean where nothing else is said. Never empty. */
  numbers: readonly ConnectedNumber[]
  plan: { api: boolean; contactLimit: number | null }
  suspended: boolean
  /** Everybody who wrote or was sent to: what the contact limit counts (SEND-20). */
  readonly contacts: Set<string>
  /** Opens the dashboard's own API alone; here it is as unknown as any other text (AUTH-03). */
  readonly dashboardKey: string
}

/** Invented, and of no country: the emulated business. */
const FIRST: BusinessNumber = { id: '109871234500011', display: '999000100200' }

/** The length of the takeover window is not shown; this is the emulator's own. */
const USUAL_TAKEOVER_MS = 30 * 60_000

/** A number as it is when it has just been connected. */
export function newNumber({ id, display }: BusinessNumber, token: string): ConnectedNumber {
  return { id, display, token, connected: true, takeoverMs: USUAL_TAKEOVER_MS, callbackOverride: false }
}

export function createAccount(token: string, saved?: SavedAccount): Account {
  if (saved) return { ...structuredClone(saved), contacts: new Set(saved.contacts) }
  return {
    numbers: [newNumber(FIRST, token)],
    plan: { api: true, contactLimit: null },
    suspended: false,
    contacts: new Set(),
    dashboardKey: `dash_${randomBytes(24).toString('base64url')}`,
  }
}

export const savedAccountSchema = z.strictObject({
  numbers: z
    .array(
      z.strictObject({
        id: z.string().min(1),
        display: z.string(),
        token: z.string().min(1),
        connected: z.boolean(),
        takeoverMs: z.number().min(0).max(LONGEST_SPAN_MS).nullable(),
        callbackOverride: z.boolean(),
      }),
    )
    .min(1),
  plan: z.strictObject({ api: z.boolean(), contactLimit: z.int().min(0).nullable() }),
  suspended: z.boolean(),
  contacts: z.array(z.string()),
  dashboardKey: z.string(),
})

export type SavedAccount = z.infer<typeof savedAccountSchema>

export function savedAccount(account: Account): SavedAccount {
  return structuredClone({ ...account, numbers: [...account.numbers], contacts: [...account.contacts] })
}

export function firstNumber(account: Pick<Account, 'numbers'>): ConnectedNumber {
  const [first] = account.numbers
  if (first === undefined) throw new TypeError('an account without a number')
  return first
}

/** The number with that id, else the first; a customer cannot write to another. */
export function numberByIdOrFirst(account: Account, id: string | undefined): ConnectedNumber {
  const found = id === undefined ? firstNumber(account) : account.numbers.find((number) => number.id === id)
  if (found === undefined) throw refuse(400, 'invalid_request', `No number ${JSON.stringify(id)} is connected.`)
  return found
}

/** The number with that id, where it is still connected. */
export function numberWithId(account: Account, id: string): ConnectedNumber | undefined {
  return account.numbers.find((number) => number.id === id)
}

/** Names the number in a thread where it is not the first one. */
export function beside(account: Account, { id }: BusinessNumber): { readonly number?: string } {
  return id === firstNumber(account).id ? {} : { number: id }
}

export function newToken(): string {
  return `emulator_${randomBytes(24).toString('base64url')}`
}

/** The number is connected anew: all that held its token hold another at once, and nobody the old one (AUTH-02). */
export function rotateToken(account: Account, number: ConnectedNumber): void {
  const [old, token] = [number.token, newToken()]
  for (const each of account.numbers) if (each.token === old) each.token = token
}
