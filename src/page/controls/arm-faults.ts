import { signal } from '@preact/signals'
import { runAction } from '../../ui/components/messages.ts'
import { faults } from '../state/service.ts'
import { customer } from '../state/view.ts'
import { type Repetition, withRepetition } from '../text/faults.ts'
import { change, read } from '../wire/control.ts'
import type { FaultRule, Faults } from '../wire/types.ts'

export const repetition = signal<Repetition>({ how: 'next', count: 1, onlyOne: false })

export function arm(rule: FaultRule, how: Repetition): void {
  const one = withRepetition(rule, how, customer.peek())
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

/**
 * Replaces the armed rules. The API sets all rules at once, so they are read first: one may have worn out meanwhile. A
 * lock allows one change at a time: of two changes that read the same rules, the later would undo the earlier.
 */
function changeRules(next: (rules: readonly FaultRule[]) => readonly FaultRule[]): void {
  runAction(() =>
    navigator.locks.request('faults', async () => {
      const { rules } = await read<Faults>('faults')
      faults.value = await change<Faults>('PUT', 'faults', { rules: next(rules) })
    }),
  )
}
