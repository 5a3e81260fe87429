import { z } from 'zod'
import { maskToken } from '../../base/mask.ts'
import { type Account, type ConnectedNumber, firstNumber, newNumber, rotateToken } from '../model/account.ts'
import type { State } from '../world.ts'
import { change, get, given, invalid, numberByIdOrFirst, span } from './request.ts'

export type AccountView = {
  readonly plan: { readonly api: boolean; readonly contactLimit: number | null }
  readonly suspended: boolean
  readonly contacts: number
  readonly numbers: readonly NumberView[]
}

export type NumberView = {
  readonly id: string
  readonly display: string
  readonly connected: boolean
  /** How long a send pauses the AI agent, in milliseconds; null if human takeover is disabled. */
  readonly takeoverWindowMs: number | null
  readonly callbackOverride: boolean
  readonly tokenPreview: string
  /** Returned only after a change. A read returns the preview only. */
  readonly accessToken?: string
}

const numberSchema = z.strictObject({
  id: z.string().regex(/^\d{1,30}$/, 'must be digits'),
  connected: z.boolean().optional(),
  /** Default for a new number: the token of the first number, so that several numbers share one token. */
  accessToken: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be printable characters without spaces')
    .optional(),
})

const accountSchema = z.strictObject({
  plan: z.strictObject({ api: z.boolean().optional(), contactLimit: z.int().min(0).nullable().optional() }).optional(),
  suspended: z.boolean().optional(),
  /** This and `callbackOverride` change every number. */
  takeoverWindow: span.nullable().optional(),
  callbackOverride: z.boolean().optional(),
  /** The complete list: numbers that are not in it are removed. A known number keeps members that are not given. */
  numbers: z.array(numberSchema).min(1).optional(),
  /** Rotates the token of the number with this id, or of the first one. */
  rotate: z.union([z.literal(true), z.string()]).optional(),
})

type AccountChange = z.output<typeof accountSchema>

export type Credentials = {
  readonly phoneNumberId: string
  readonly accessToken: string
  readonly signingSecret: string | null
}

export const ACCOUNT_OPERATIONS = {
  showAccount: get('account', 'Plan, suspension and connected numbers, their tokens masked.', ({ account }) =>
    accountView(account, false),
  ),
  showCredentials: get(
    'credentials',
    "The first number's id and access token, and the first subscription's signing secret.",
    ({ account, subscriptions }): Credentials => {
      const { id, token } = firstNumber(account)
      return { phoneNumberId: id, accessToken: token, signingSecret: subscriptions.list()[0]?.secret ?? null }
    },
  ),
  changeAccount: change(
    'PUT',
    'account',
    'Changes the account; the answer shows the tokens.',
    accountSchema,
    changeAccount,
  ),
}

function changeAccount({ account }: State, change: AccountChange): AccountView {
  const { plan, suspended, numbers, rotate, takeoverWindow, callbackOverride } = change
  const next = numbers ? numbersAfter(account, numbers) : account.numbers
  const rotated = rotate && numberByIdOrFirst({ numbers: next }, rotate === true ? undefined : rotate)
  account.numbers = next
  if (rotated) rotateToken(account, rotated)
  account.suspended = suspended ?? account.suspended
  Object.assign(account.plan, given({ ...plan }))
  for (const number of account.numbers) Object.assign(number, given({ agentPauseMs: takeoverWindow, callbackOverride }))
  return accountView(account, true)
}

function numbersAfter(account: Account, wanted: readonly z.output<typeof numberSchema>[]): ConnectedNumber[] {
  if (new Set(wanted.map(({ id }) => id)).size < wanted.length) throw invalid('numbers: ids must not repeat')
  return wanted.map(({ id, connected, accessToken }, index) => {
    const fallback = { id, display: `9990001002${String(index).padStart(2, '0')}` }
    const known = account.numbers.find((number) => number.id === id) ?? newNumber(fallback, firstNumber(account).token)
    return { ...known, ...given({ connected, token: accessToken }) }
  })
}

function accountView(account: Account, withTokens: boolean): AccountView {
  return {
    plan: { ...account.plan },
    suspended: account.suspended,
    contacts: account.contacts.size,
    numbers: account.numbers.map(({ token, agentPauseMs, ...number }) => ({
      ...number,
      takeoverWindowMs: agentPauseMs,
      tokenPreview: maskToken(token),
      ...(withTokens && { accessToken: token }),
    })),
  }
}
