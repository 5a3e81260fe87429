import { z } from 'zod'
import { type Duration, toMs } from '../../base/duration.ts'
import { spanMs } from '../time/bounds.ts'

/** What can go wrong with a delivery, and at which point of it. */
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

const FAULTS = Object.keys(DELIVERY_FAULTS) as [DeliveryFault, ...DeliveryFault[]]

/** Which member goes with which faults. */
const MEMBER_OF: Readonly<Record<'by' | 'what', readonly DeliveryFault[]>> = { by: ['late', 'stale'], what: ['tamper'] }

/** `{on: 'delivery', do: …}` as in DELIVERY_FAULTS. */
export const deliveryRuleMembers = {
  on: z.literal('delivery'),
  do: z.enum(FAULTS, `must be ${FAULTS.join(', ')}: a delivery's status is the app's own to give`),
  by: z
    .string()
    .refine((text) => spanMs(text as Duration) !== undefined, 'must be a span such as 301s, of a hundred years at most')
    .optional(),
  what: z.enum(['body', 'signature', 'timestamp']).optional(),
  /** Only deliveries of this event. */
  event: z.string().min(1).optional(),
}

type Parameters = { readonly by?: string | undefined; readonly what?: string | undefined }

/** Says of each member that does not go with the rule's fault that it does not. */
export function findDeliveryTrouble(
  rule: Parameters & { readonly do: DeliveryFault },
  finding: (path: string, message: string) => void,
): void {
  for (const member of ['by', 'what'] as const)
    if (rule[member] !== undefined && !MEMBER_OF[member].includes(rule.do))
      finding(member, `goes with do: ${MEMBER_OF[member].join(' or ')} alone`)
}

export function stageOf(fault: DeliveryFault): DeliveryStage {
  return DELIVERY_FAULTS[fault][0]
}

/** Milliseconds of a rule's span, which its schema has checked. */
export function byMs({ by }: Parameters, usual: Duration): number {
  return toMs((by ?? usual) as Duration)
}
