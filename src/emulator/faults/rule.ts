import { z } from 'zod'
import { API_ERRORS, type ApiErrorCode } from '../../contract/index.ts'

const common = {
  /** The next n matching requests, then the rule is gone. */
  next: z.int().min(1).optional(),
  /** Every nth matching request; neither `next` nor `every`: always. */
  every: z.int().min(1).optional(),
  /** Only where this customer is concerned. */
  to: z.string().regex(/^\d+$/, 'must be digits').optional(),
}

const CODES = Object.keys(API_ERRORS) as ApiErrorCode[]

/**
 * One rule of what goes wrong.
 *
 * - `{on: 'send', do: 'lose_answer'}`: the message is accepted and reaches the phone, then the connection is cut.
 * - `{on: 'send', do: 'status', status: 500}`: the service answers that, and nothing is sent.
 * - `{on: 'delivery', do: 'lose_answer'}`: the app's answer to the delivery counts as lost, so that it is retried.
 */
export const faultRuleSchema = z
  .discriminatedUnion('on', [
    z.strictObject({
      on: z.literal('send'),
      do: z.enum(['lose_answer', 'status']),
      status: z.int().optional(),
      /** Which of the service's errors, where its status has several. */
      code: z.enum(CODES).optional(),
      ...common,
    }),
    z.strictObject({
      on: z.literal('delivery'),
      do: z.literal('lose_answer', "must be lose_answer: a delivery's status is the app's own to give"),
      ...common,
    }),
  ])
  .superRefine((rule, issues) => {
    const finding = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
    if (rule.next !== undefined && rule.every !== undefined) finding('every', 'goes without next')
    if (rule.on !== 'send') return
    if (rule.do === 'lose_answer' && rule.status !== undefined) finding('status', 'goes with do: status alone')
    if (rule.do === 'lose_answer' && rule.code !== undefined) finding('code', 'goes with do: status alone')
    if (rule.do === 'status' && errorOf(rule) === undefined)
      finding('status', `must be a status of the service's errors (${STATUSES.join(', ')}) or another 5xx`)
  })

export type FaultRule = z.infer<typeof faultRuleSchema>

const STATUSES = [...new Set(CODES.map((code) => API_ERRORS[code].status))].sort((a, b) => a - b)

/** Of the errors that share a status, the one that is meant where no code is named; else the table's first. */
const USUAL: ReadonlyMap<number, ApiErrorCode> = new Map([
  [403, 'account_suspended'],
  [422, 'validation_error'],
])

/** The service's error for a rule, or undefined where the service has none. */
export function errorOf(rule: {
  status?: number | undefined
  code?: ApiErrorCode | undefined
}): { status: number; code: ApiErrorCode } | undefined {
  const { status, code } = rule
  if (code !== undefined) {
    const known = API_ERRORS[code].status
    return status === undefined || status === known ? { status: known, code } : undefined
  }
  if (status === undefined) return undefined
  const found = USUAL.get(status) ?? CODES.find((candidate) => API_ERRORS[candidate].status === status)
  if (found !== undefined) return { status, code: found }
  return status >= 500 && status <= 599 ? { status, code: 'internal_error' } : undefined
}
