import type { FaultRule } from '../../wire/types.ts'

/** How often a fault strikes once it is armed, and for whom. */
export interface Often {
  readonly how: 'next' | 'every' | 'always'
  readonly count: number
  readonly onlyOne: boolean
}

/** A rule with how often it strikes, as the emulator takes it. */
export function ruleWith(rule: FaultRule, { how, count, onlyOne }: Often, digits: string): FaultRule {
  const strikes = { next: { next: count }, every: { every: count }, always: {} }[how]
  return { ...rule, ...strikes, ...(onlyOne && { to: digits }) }
}
