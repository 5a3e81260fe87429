import { isDeepStrictEqual } from 'node:util'
import type { FaultRule, SendFaultRule } from './fault-rules.ts'

export interface Fault<R extends FaultRule = FaultRule> {
  readonly rule: R
  /** Gives the rule its charge back, if the fault could not take effect. */
  giveBack(): void
}

type RuleOn<On extends FaultRule['on']> = Extract<FaultRule, { on: On }>

/** A point at which a fault may strike. */
interface Occasion<On extends FaultRule['on']> {
  readonly on: On
  readonly customer: string | undefined
  /** Leaves out the rules that make no sense here. */
  readonly fits?: (rule: RuleOn<On>) => boolean
}

/** The armed rules, and the charges that they have left. */
export interface Faults {
  /** Arms these rules in place of all others. */
  set(rules: readonly FaultRule[]): void
  list(): readonly FaultRule[]
  /** The first rule that strikes here, if any; a rule with `next` then has one charge less. */
  take<On extends FaultRule['on']>(occasion: Occasion<On>): Fault<RuleOn<On>> | undefined
  /** The rule that `take` would give, without spending a charge. */
  look<On extends FaultRule['on']>(occasion: Occasion<On>): RuleOn<On> | undefined
}

interface Armed {
  readonly rule: FaultRule
  left: number
  seen: number
}

export function createFaults(): Faults {
  let armed: Armed[] = []

  /** How often a rule was seen before: whoever arms one more sends all, and a rule that stays goes on counting. */
  const takeSeen = (before: Armed[], rule: FaultRule): number => {
    const at = before.findIndex((it) =>
      isDeepStrictEqual({ ...it.rule, next: undefined }, { ...rule, next: undefined }),
    )
    return before.splice(at, at === -1 ? 0 : 1)[0]?.seen ?? 0
  }

  const strikes = ({ rule, seen }: Armed) => rule.every === undefined || (seen + 1) % rule.every === 0

  const matching = <On extends FaultRule['on']>({ on, customer, fits }: Occasion<On>): Armed[] =>
    armed.filter(
      ({ rule, left }) =>
        rule.on === on &&
        left > 0 &&
        (rule.to === undefined || rule.to === customer) &&
        (fits === undefined || fits(rule as RuleOn<On>)),
    )

  return {
    set(rules) {
      const before = [...armed]
      armed = rules.map((rule) => ({ rule, left: rule.next ?? Number.POSITIVE_INFINITY, seen: takeSeen(before, rule) }))
    },
    list: () =>
      armed
        .filter((it) => it.left > 0)
        .map(({ rule, left }) => (rule.next === undefined ? rule : { ...rule, next: left })),
    take<On extends FaultRule['on']>(occasion: Occasion<On>) {
      for (const it of matching(occasion)) {
        const struck = strikes(it)
        it.seen++
        if (!struck) continue
        it.left--
        const giveBack = () => {
          it.left++
          it.seen--
        }
        return { rule: it.rule as RuleOn<On>, giveBack }
      }
      return undefined
    },
    look: <On extends FaultRule['on']>(occasion: Occasion<On>) =>
      matching(occasion).find(strikes)?.rule as RuleOn<On> | undefined,
  }
}

/** How an accepted message fares on the way to a handset. */
export type Fate = 'delivered' | 'undelivered' | 'failed'

/** A recipient to whom the same always happens, for unattended runs. */
interface MagicRecipient {
  readonly to: string
  readonly does: string
  readonly rule?: SendFaultRule
  readonly fate?: Fate
}

/** +999 is given to no country, so no real number begins like this. */
const PREFIX = '999000000'

const status = (code: NonNullable<SendFaultRule['code']>): SendFaultRule => ({ on: 'send', do: 'status', code })

const RECIPIENTS: readonly (readonly [string, string, SendFaultRule | Fate])[] = [
  ['402', '402 plan_limit_reached', status('plan_limit_reached')],
  ['408', 'never an answer, nothing sent', { on: 'send', do: 'time_out' }],
  ['409', '409 outside_messaging_window, for all but templates', status('outside_messaging_window')],
  ['429', '429 rate_limited', status('rate_limited')],
  ['444', 'the connection is cut before acceptance', { on: 'send', do: 'cut_before' }],
  ['445', 'accepted, and the answer is lost each time', { on: 'send', do: 'lose_answer' }],
  ['500', '500 internal_error', status('internal_error')],
  ['502', '502 send_failed', status('send_failed')],
  ['503', '503 internal_error', { on: 'send', do: 'status', status: 503 }],
  ['601', 'accepted, and never delivered: the status stays sent', 'undelivered'],
  ['602', 'accepted, then the status failed with a reason', 'failed'],
]

export const MAGIC_RECIPIENTS: ReadonlyMap<string, MagicRecipient> = new Map(
  RECIPIENTS.map(([digits, does, what]) => {
    const to = PREFIX + digits
    return [to, { to, does, ...(typeof what === 'string' ? { fate: what } : { rule: what }) }]
  }),
)
