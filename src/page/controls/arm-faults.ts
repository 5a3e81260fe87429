import { signal } from '@preact/signals'
import { attempt } from '../components/messages.ts'
import { shortcut } from '../keyboard/registry.ts'
import { customer } from '../state/view.ts'
import { faults } from '../state/world.ts'
import { DELIVERY_PRESETS, type Often, type Preset, ruleWith, SEND_PRESETS } from '../text/faults.ts'
import { change, read } from '../wire/control.ts'
import type { FaultRule, Faults } from '../wire/types.ts'

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

const ONCE: Often = { how: 'next', count: 1, onlyOne: false }

const armNext = (noun: string) => (preset: Preset) =>
  shortcut({
    keys: [],
    group: 'Break',
    does: `The next ${noun}: ${preset.title}`,
    run: () => arm(preset.rule, ONCE),
  })

shortcut({
  keys: [],
  group: 'Break',
  does: 'Disarm all faults',
  when: () => faults.peek().rules.length > 0,
  run: disarmAll,
})
SEND_PRESETS.forEach(armNext('send'))
DELIVERY_PRESETS.forEach(armNext('delivery'))
