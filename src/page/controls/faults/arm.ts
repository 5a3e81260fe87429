import { signal } from '@preact/signals'
import { attempt } from '../../state/notice.ts'
import { customer } from '../../state/view.ts'
import { faults } from '../../state/world.ts'
import { change, read } from '../../wire/control.ts'
import type { FaultRule, Faults } from '../../wire/types.ts'
import { type Often, ruleWith } from './often.ts'

/** What the next preset is armed with. */
export const often = signal<Often>({ how: 'next', count: 1, onlyOne: false })

/** Arms one fault more. */
export function arm(rule: FaultRule, how: Often): void {
  const one = ruleWith(rule, how, customer.peek())
  changeRules((rules) => [...rules, one])
}

export function disarm(rule: FaultRule): void {
  const text = JSON.stringify(rule)
  changeRules((rules) => {
    const index = rules.findIndex((one) => JSON.stringify(one) === text)
    return index < 0 ? rules : rules.toSpliced(index, 1)
  })
}

export function disarmAll(): void {
  changeRules(() => [])
}

export function armedCount(): number {
  return faults.peek().rules.length
}

/**
 * All rules are set at once: so they are read first, since one may have worn out meanwhile, and by one at a time, since
 * of two clicks or two tabs that read the same the later one would disarm what the earlier one armed.
 */
function changeRules(next: (rules: readonly FaultRule[]) => readonly FaultRule[]): void {
  attempt(() =>
    navigator.locks.request('faults', async () => {
      const { rules } = await read<Faults>('faults')
      faults.value = await change<Faults>('PUT', 'faults', { rules: next(rules) })
    }),
  )
}
