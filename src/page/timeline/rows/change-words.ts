import { titleOf, whenOf } from '../../controls/faults/words.ts'
import type { FaultRule } from '../../wire/types.ts'

/** What was changed: `suspended: true`, `plan.api: false`, `Lose the answer (the next send)`. */
export function changeInWords({ rules, ...others }: Readonly<Record<string, unknown>>): string {
  return [...(Array.isArray(rules) ? faultsInWords(rules as FaultRule[]) : []), ...pairsOf(others)].join(', ')
}

function faultsInWords(rules: readonly FaultRule[]): string[] {
  return rules.length === 0 ? ['none armed'] : rules.map((rule) => `${titleOf(rule)} (${whenOf(rule)})`)
}

function pairsOf(change: object, before = ''): string[] {
  return Object.entries(change).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? pairsOf(value, `${before}${name}.`)
      : [`${before}${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
}
