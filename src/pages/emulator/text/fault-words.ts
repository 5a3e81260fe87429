import { DELIVERY_FAULTS, SEND_FAULTS } from '../../../emulator/model/fault-effects.ts'
import type { FaultRule } from '../wire/wire-types.ts'

export interface Preset {
  readonly rule: FaultRule
  readonly effect: string
}

const { status, ...otherFaults } = SEND_FAULTS

export const SEND_PRESETS: readonly Preset[] = [
  ...[429, 500, 502].map((error): Preset => ({ rule: { on: 'send', do: 'status', status: error }, effect: status })),
  ...Object.entries(otherFaults).map(
    ([name, effect]): Preset => ({ rule: { on: 'send', do: name as keyof typeof otherFaults }, effect }),
  ),
]

export const DELIVERY_PRESETS: readonly Preset[] = Object.entries(DELIVERY_FAULTS).map(([name, [, effect]]) => ({
  rule: { on: 'delivery', do: name as keyof typeof DELIVERY_FAULTS },
  effect,
}))

export function faultTitle(rule: FaultRule): string {
  const error = rule.on === 'send' ? (rule.code ?? rule.status) : undefined
  const words = rule.do.charAt(0).toUpperCase() + rule.do.slice(1).replaceAll('_', ' ')
  return error === undefined ? words : `${words} ${error}`
}

/** What a rule still applies to: `the next 2 to 255712000101`. */
export function faultSchedule(rule: FaultRule): string {
  const { next, every, to } = rule
  const often =
    next !== undefined ? `the next ${next}` : every !== undefined && every > 1 ? `one in ${every}` : 'each one'
  const event = rule.on === 'delivery' ? rule.event : undefined
  return [often, event && `of ${event}`, to && `${rule.on === 'send' ? 'to' : 'about'} ${to}`].filter(Boolean).join(' ')
}
