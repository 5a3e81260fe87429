import type { FaultRule } from './rule.ts'

/** A rule that struck. */
export interface Fault {
  readonly rule: FaultRule
  /** It could not take effect: the rule keeps this charge. */
  giveBack(): void
}

/** What is armed to go wrong, and what is left of it. */
export interface Faults {
  set(rules: readonly FaultRule[]): void
  list(): readonly FaultRule[]
  /** The first rule that strikes here, if any; a rule with `next` has one charge less then. */
  take(on: FaultRule['on'], customer: string | undefined): Fault | undefined
}

interface Armed {
  readonly rule: FaultRule
  left: number
  seen: number
}

export function createFaults(): Faults {
  let armed: Armed[] = []

  const strikes = (it: Armed) => {
    it.seen++
    if (it.rule.every !== undefined) return it.seen % it.rule.every === 0
    return it.left-- > 0
  }

  return {
    set(rules) {
      armed = rules.map((rule) => ({ rule, left: rule.next ?? Number.POSITIVE_INFINITY, seen: 0 }))
    },
    list: () =>
      armed
        .filter((it) => it.left > 0)
        .map(({ rule, left }) => (rule.next === undefined ? rule : { ...rule, next: left })),
    take(on, customer) {
      for (const it of armed) {
        const concerns = it.rule.on === on && it.left > 0 && (it.rule.to === undefined || it.rule.to === customer)
        if (concerns && strikes(it))
          return {
            rule: it.rule,
            giveBack: () => {
              if (it.rule.every === undefined) it.left++
              else it.seen--
            },
          }
      }
      return undefined
    },
  }
}
