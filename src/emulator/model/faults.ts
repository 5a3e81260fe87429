import { z } from 'zod'
import { type Duration, toMs } from '../../base/duration.ts'
import { API_ERRORS, type ApiErrorCode } from '../../service/error-table.ts'
import { spanMs } from './emulated-clock.ts'
import { DELIVERY_FAULTS, SEND_FAULTS } from './fault-effects.ts'
import { isDeepStrictEqual } from 'node:util'

type SendFault = keyof typeof SEND_FAULTS

type DeliveryFault = keyof typeof DELIVERY_FAULTS
export type DeliveryStage = (typeof DELIVERY_FAULTS)[DeliveryFault][0]

const SEND_FAULT_NAMES = Object.keys(SEND_FAULTS) as [SendFault, ...SendFault[]]
const DELIVERY_FAULT_NAMES = Object.keys(DELIVERY_FAULTS) as [DeliveryFault, ...DeliveryFault[]]
const CODES = Object.keys(API_ERRORS) as ApiErrorCode[]
const STATUSES = [...new Set(CODES.map((code) => API_ERRORS[code].status))].sort((a, b) => a - b)

const MEMBERS: Readonly<Record<string, readonly (SendFault | DeliveryFault)[]>> = {
  status: ['status'],
  code: ['status'],
  by: ['late', 'stale'],
}

const common = {
  /** The rule applies to the next n matching requests and is then removed. */
  next: z.int().min(1).optional(),
  /** The rule applies to every nth matching request; without `next` and `every`, to each one. */
  every: z.int().min(1).optional(),
  to: z.string().regex(/^\d+$/, 'must be digits').optional(),
}

export const faultRuleSchema = z
  .discriminatedUnion('on', [
    z.strictObject({
      on: z.literal('send'),
      do: z.enum(SEND_FAULT_NAMES),
      status: z.int().optional(),
      /** Picks one of the service's errors if several share the status. */
      code: z.enum(CODES).optional(),
      ...common,
    }),
    z.strictObject({
      on: z.literal('delivery'),
      do: z.enum(DELIVERY_FAULT_NAMES, `must be ${DELIVERY_FAULT_NAMES.join(', ')}: the app gives a delivery's status`),
      by: z
        .string()
        .refine(
          (text) => spanMs(text as Duration) !== undefined,
          'must be a span such as 301s, at most a hundred years',
        )
        .optional(),
      event: z.string().min(1).optional(),
      ...common,
    }),
  ])
  .superRefine((rule, issues) => {
    const report = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
    if (rule.next !== undefined && rule.every !== undefined) report('every', 'every and next exclude each other')
    const given: Record<string, unknown> = rule
    for (const [member, faults] of Object.entries(MEMBERS))
      if (given[member] !== undefined && !faults.includes(rule.do))
        report(member, `is only allowed with do: ${faults.join(' or ')}`)
    if (rule.on === 'send' && rule.do === 'status' && errorOf(rule) === undefined)
      report('status', `must be a status of the service's errors (${STATUSES.join(', ')}) or another 5xx`)
  })

export type FaultRule = z.infer<typeof faultRuleSchema>
export type SendFaultRule = Extract<FaultRule, { on: 'send' }>
export type DeliveryFaultRule = Extract<FaultRule, { on: 'delivery' }>

/** The error for a status that several errors share. Other shared statuses get their first error in `API_ERRORS`. */
const DEFAULT_CODES: ReadonlyMap<number, ApiErrorCode> = new Map([
  [403, 'account_suspended'],
  [422, 'validation_error'],
])

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

export function byMs({ by }: { readonly by?: string | undefined }, defaultSpan: Duration): number {
  return toMs((by ?? defaultSpan) as Duration)
}

type RuleOn<On extends FaultRule['on']> = Extract<FaultRule, { on: On }>

export interface Occasion<On extends FaultRule['on']> {
  readonly on: On
  readonly customer: string | undefined
  readonly fits: (rule: RuleOn<On>) => boolean
}

export type Faults = ReturnType<typeof createFaults>

interface Armed {
  readonly rule: FaultRule
  left: number
  seen: number
}

export function createFaults() {
  let armed: Armed[] = []

  return {
    /** Arms these rules and removes all others. A rule that was armed before keeps its count for `every`. */
    set(rules: readonly FaultRule[]): void {
      const seenBefore = (rule: FaultRule) => armed.find((it) => isDeepStrictEqual(it.rule, rule))?.seen ?? 0
      armed = rules.map((rule) => ({ rule, left: rule.next ?? Number.POSITIVE_INFINITY, seen: seenBefore(rule) }))
    },
    list: (): readonly FaultRule[] =>
      armed
        .filter((it) => it.left > 0)
        .map(({ rule, left }) => (rule.next === undefined ? rule : { ...rule, next: left })),
    /** Returns the first armed rule that strikes now. Counts the occasion for it and for matching rules before it. */
    take<On extends FaultRule['on']>({ on, customer, fits }: Occasion<On>): RuleOn<On> | undefined {
      for (const it of armed) {
        const { rule } = it
        const matches =
          rule.on === on && it.left > 0 && (rule.to === undefined || rule.to === customer) && fits(rule as RuleOn<On>)
        if (!matches) continue
        it.seen++
        if (it.seen % (rule.every ?? 1) !== 0) continue
        it.left--
        return rule as RuleOn<On>
      }
      return undefined
    },
  }
}
