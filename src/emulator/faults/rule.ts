import { z } from 'zod'
import { API_ERRORS, type ApiErrorCode } from '../../contract/index.ts'
import { deliveryRuleMembers, findDeliveryTrouble } from './delivery-rule.ts'

const common = {
  /** The next n matching requests, then the rule is gone. */
  next: z.int().min(1).optional(),
  /** Every nth matching request; neither `next` nor `every`: always. */
  every: z.int().min(1).optional(),
  /** Only where this customer is concerned. */
  to: z.string().regex(/^\d+$/, 'must be digits').optional(),
}

const CODES = Object.keys(API_ERRORS) as ApiErrorCode[]

/** What can go wrong with a send. Before acceptance nothing is sent; after it the message is on the phone. */
export const SEND_FAULTS = {
  status: 'the service answers with an error of its own, and nothing is sent',
  cut_before: 'the connection is cut before acceptance: nothing is sent',
  time_out: 'there is never an answer, and nothing is sent',
  lose_answer: 'the message is accepted, then the connection is closed without an answer',
  cut_after: 'the message is accepted, then the connection is reset',
  late_answer: 'the message is accepted, and there is never an answer',
  half_answer: 'the message is accepted, and the connection is cut in the middle of the answer',
  unreadable_answer: 'the message is accepted, and the 200 holds no JSON, or the text of `answer`',
  hold_key: 'as lose_answer, and the key stays in flight for `answers` repeats, or until it is released',
  forget_key: 'as lose_answer, and the service forgets the key',
} as const

export type SendFault = keyof typeof SEND_FAULTS

/** Which member goes with which fault. */
const MEMBER_OF = {
  status: 'status',
  code: 'status',
  answers: 'hold_key',
  answer: 'unreadable_answer',
} as const

/** One rule of what goes wrong: `{on: 'send', do: …}` as in SEND_FAULTS, or `{on: 'delivery', do: …}`. */
export const faultRuleSchema = z
  .discriminatedUnion('on', [
    z.strictObject({
      on: z.literal('send'),
      do: z.enum(Object.keys(SEND_FAULTS) as [SendFault, ...SendFault[]]),
      status: z.int().optional(),
      /** Which of the service's errors, where its status has several. */
      code: z.enum(CODES).optional(),
      /** How many repeats are answered 409 `idempotency_in_progress`; without it all, until the key is released. */
      answers: z.int().min(1).optional(),
      /** The body of the 200. */
      answer: z.string().optional(),
      ...common,
    }),
    z.strictObject({ ...deliveryRuleMembers, ...common }),
  ])
  .superRefine((rule, issues) => {
    const finding = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
    if (rule.next !== undefined && rule.every !== undefined) finding('every', 'goes without next')
    if (rule.on === 'delivery') return findDeliveryTrouble(rule, finding)
    for (const member of Object.keys(MEMBER_OF) as (keyof typeof MEMBER_OF)[])
      if (rule[member] !== undefined && rule.do !== MEMBER_OF[member])
        finding(member, `goes with do: ${MEMBER_OF[member]} alone`)
    if (rule.do === 'status' && errorOf(rule) === undefined)
      finding('status', `must be a status of the service's errors (${STATUSES.join(', ')}) or another 5xx`)
  })

export type FaultRule = z.infer<typeof faultRuleSchema>
export type SendFaultRule = Extract<FaultRule, { on: 'send' }>
export type DeliveryFaultRule = Extract<FaultRule, { on: 'delivery' }>

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
