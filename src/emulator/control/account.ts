import { z } from 'zod'
import { maskToken } from '../../base/mask.ts'
import type { HttpRequest } from '../http/messages.ts'
import { type Account, type ConnectedNumber, firstNumber, numberNamed, rotateToken } from '../service/account.ts'
import type { State } from '../state.ts'
import { invalid, readControl } from './request.ts'

export type AccountView = {
  readonly plan: { readonly api: boolean; readonly contactLimit: number | null }
  readonly suspended: boolean
  /** How many contacts count towards the limit. */
  readonly contacts: number
  readonly dashboardKey: string
  readonly numbers: readonly NumberView[]
}

export type NumberView = {
  readonly id: string
  readonly display: string
  readonly connected: boolean
  /** As the dashboard previews it. */
  readonly tokenPreview: string
  /** Only in the answer to a change, which needs the control token. */
  readonly accessToken?: string
}

const numberSchema = z.strictObject({
  id: z.string().regex(/^\d{1,30}$/, 'must be digits'),
  display: z
    .string()
    .regex(/^\d{6,20}$/, 'must be 6 to 20 digits')
    .optional(),
  connected: z.boolean().optional(),
  /** Default: the first number's, so that one token is held by several. */
  accessToken: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be printable characters without spaces')
    .optional(),
})

export const accountSchema = z.strictObject({
  plan: z.strictObject({ api: z.boolean().optional(), contactLimit: z.int().min(0).nullable().optional() }).optional(),
  suspended: z.boolean().optional(),
  /** All numbers that there are to be; a known id keeps what is not given. */
  numbers: z.array(numberSchema).min(1).optional(),
  /** A new token at once, for the number with this id, or the first. */
  rotate: z.union([z.literal(true), z.string()]).optional(),
})

export type AccountChange = z.output<typeof accountSchema>

export function showAccount({ account }: State): AccountView {
  return viewOf(account, ({ token }) => ({ tokenPreview: maskToken(token) }))
}

export function changeAccount(state: State, request: HttpRequest): AccountView {
  return applyToAccount(state, readControl(request, accountSchema))
}

/** Changes what is given; the answer shows the tokens. */
export function applyToAccount({ account }: State, change: AccountChange): AccountView {
  const { plan, suspended, numbers, rotate } = change
  const next = numbers && numbersAfter(account, numbers)
  const rotated =
    rotate === undefined
      ? undefined
      : numberNamed({ ...account, ...(next && { numbers: next }) }, rotate === true ? undefined : rotate)
  if (next) account.numbers = next
  if (rotated) rotateToken(account, rotated)
  if (suspended !== undefined) account.suspended = suspended
  if (plan?.api !== undefined) account.plan.api = plan.api
  if (plan?.contactLimit !== undefined) account.plan.contactLimit = plan.contactLimit
  return viewOf(account, ({ token }) => ({ tokenPreview: maskToken(token), accessToken: token }))
}

function numbersAfter(account: Account, wanted: readonly z.output<typeof numberSchema>[]): ConnectedNumber[] {
  if (new Set(wanted.map(({ id }) => id)).size < wanted.length) throw invalid('numbers: ids must not repeat')
  return wanted.map(({ id, display, connected, accessToken }, index) => {
    const known = account.numbers.find((number) => number.id === id)
    return {
      id,
      display: display ?? known?.display ?? `9990001002${String(index).padStart(2, '0')}`,
      connected: connected ?? known?.connected ?? true,
      token: accessToken ?? known?.token ?? firstNumber(account).token,
    }
  })
}

function viewOf(
  account: Account,
  tokens: (number: ConnectedNumber) => Pick<NumberView, 'tokenPreview' | 'accessToken'>,
): AccountView {
  return {
    plan: { ...account.plan },
    suspended: account.suspended,
    contacts: account.contacts.size,
    dashboardKey: account.dashboardKey,
    numbers: account.numbers.map((number) => ({
      id: number.id,
      display: number.display,
      connected: number.connected,
      ...tokens(number),
    })),
  }
}
