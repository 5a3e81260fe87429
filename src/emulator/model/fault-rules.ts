import { z } from 'zod'
import { type Duration, toMs } from '../../base/duration.ts'
import { API_ERRORS, type ApiErrorCode } from '../../contract/index.ts'
import { spanMs } from './clock.ts'

/** The faults of a send. Before acceptance nothing is sent; after acceptance the message is on the phone. */
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

/** The faults of a delivery, each with the stage of the delivery at which it strikes. */
export const DELIVERY_FAULTS = {
  unknown_fields: ['payload', 'the payload holds members that nobody has heard of, at its top and beside its facts'],
  unknown_event: ['beside', 'one more delivery goes out beside it, of an event that nobody has heard of'],
  late: ['timing', 'the first attempt is made only after `by` (default 10m)'],
  shuffle: ['timing', 'it is held until a later one has gone out, or for 2 seconds; those held go out in reverse'],
  duplicate: ['twice', 'the first attempt is made twice at the same time, under one id'],
  tamper: ['signing', 'the `what` (body by default, signature or timestamp) is changed behind the signature'],
  stale: ['signing', 'it is signed as of `by` ago (default 301s)'],
  wrong_secret: ['signing', 'it is signed with another secret'],
  lose_answer: ['answer', "the app's answer counts as lost, so that it is retried"],
} as const

export type DeliveryFault = keyof typeof DELIVERY_FAULTS
export type DeliveryStage = (typeof DELIVERY_FAULTS)[DeliveryFault][0]

const SEND_FAULT_NAMES = Object.keys(SEND_FAULTS) as [SendFault, ...SendFault[]]
const DELIVERY_FAULT_NAMES = Object.keys(DELIVERY_FAULTS) as [DeliveryFault, ...DeliveryFault[]]
const CODES = Object.keys(API_ERRORS) as ApiErrorCode[]
const STATUSES = [...new Set(CODES.map((code) => API_ERRORS[code].status))].sort((a, b) => a - b)

/** The members that belong to some faults alone, with those faults. */
const SEND_MEMBERS = {
  status: ['status'],
  code: ['status'],
  answers: ['hold_key'],
  answer: ['unreadable_answer'],
} as const satisfies Record<string, readonly SendFault[]>
const DELIVERY_MEMBERS = {
  by: ['late', 'stale'],
  what: ['tamper'],
} as const satisfies Record<string, readonly DeliveryFault[]>

const common = {
  /** The rule strikes the next n matching requests and is then gone. */
  next: z.int().min(1).optional(),
  /** The rule strikes every nth matching request; with neither `next` nor `every`, each one. */
  every: z.int().min(1).optional(),
  /** Only requests about this customer match. */
  to: z.string().regex(/^\d+$/, 'must be digits').optional(),
}

/** One rule for what goes wrong: `{on: 'send', do: …}` as in SEND_FAULTS, or `{on: 'delivery', do: …}` as in DELIVERY_FAULTS. */
export const faultRuleSchema = z
  .discriminatedUnion('on', [
    z.strictObject({
      on: z.literal('send'),
      do: z.enum(SEND_FAULT_NAMES),
      status: z.int().optional(),
      /** Picks one of the service's errors if several share the status. */
      code: z.enum(CODES).optional(),
      /** How many repeats are answered 409 `idempotency_in_progress`; without it all, until the key is released. */
      answers: z.int().min(1).optional(),
      answer: z.string().optional(),
      ...common,
    }),
    z.strictObject({
      on: z.literal('delivery'),
      do: z.enum(
        DELIVERY_FAULT_NAMES,
        `must be ${DELIVERY_FAULT_NAMES.join(', ')}: a delivery's status is the app's own to give`,
      ),
      by: z
        .string()
        .refine(
          (text) => spanMs(text as Duration) !== undefined,
          'must be a span such as 301s, of a hundred years at most',
        )
        .optional(),
      what: z.enum(['body', 'signature', 'timestamp']).optional(),
      /** Only deliveries of this event match. */
      event: z.string().min(1).optional(),
      ...common,
    }),
  ])
  .superRefine((rule, issues) => {
    const report = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
    if (rule.next !== undefined && rule.every !== undefined) report('every', 'goes without next')
    const members: Record<string, readonly string[]> = rule.on === 'send' ? SEND_MEMBERS : DELIVERY_MEMBERS
    const given: Record<string, unknown> = rule
    for (const [member, faults] of Object.entries(members))
      if (given[member] !== undefined && !faults.includes(rule.do))
        report(member, `goes with do: ${faults.join(' or ')} alone`)
    if (rule.on === 'send' && rule.do === 'status' && errorOf(rule) === undefined)
      report('status', `must be a status of the service's errors (${STATUSES.join(', ')}) or another 5xx`)
  })

export type FaultRule = z.infer<typeof faultRuleSchema>
export type SendFaultRule = Extract<FaultRule, { on: 'send' }>
export type DeliveryFaultRule = Extract<FaultRule, { on: 'delivery' }>

/** The error meant by a status that several errors share, if the rule names no code. For other statuses the table's first. */
const DEFAULT_CODES: ReadonlyMap<number, ApiErrorCode> = new Map([
  [403, 'account_suspended'],
  [422, 'validation_error'],
])

/** The service's error that a rule asks for, or undefined if the service has no such error. */
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
  const found = DEFAULT_CODES.get(status) ?? CODES.find((candidate) => API_ERRORS[candidate].status === status)
  if (found !== undefined) return { status, code: found }
  return status >= 500 && status <= 599 ? { status, code: 'internal_error' } : undefined
}

export function stageOf(fault: DeliveryFault): DeliveryStage {
  return DELIVERY_FAULTS[fault][0]
}

/** Milliseconds of a delivery rule's span, which the schema has checked. */
export function byMs({ by }: { readonly by?: string | undefined }, defaultSpan: Duration): number {
  return toMs((by ?? defaultSpan) as Duration)
}
