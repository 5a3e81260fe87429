import type { DeliveryFault, SendFault } from '../../../emulator/model/faults.ts'
import type { FaultRule } from '../wire/wire-types.ts'

export interface Preset {
  readonly title: string
  readonly effect: string
  readonly rule: FaultRule
}

const send = (what: SendFault, title: string, effect: string, more: { status?: number } = {}): Preset => ({
  title,
  effect,
  rule: { on: 'send', do: what, ...more },
})

const delivery = (what: DeliveryFault, title: string, effect: string): Preset => ({
  title,
  effect,
  rule: { on: 'delivery', do: what },
})

export const SEND_PRESETS: readonly Preset[] = [
  send('lose_answer', 'Lose the answer', 'It is accepted, and the app gets no answer.'),
  send('status', '429 too many requests', 'It is not sent; a retry helps.', { status: 429 }),
  send('status', '500 internal error', 'It is unknown whether it was sent.', { status: 500 }),
  send('status', '502 send failed', 'The upstream platform refused it.', { status: 502 }),
  send('time_out', 'Time out', 'No answer comes, and nothing is sent.'),
  send('cut_before', 'Cut the connection', 'Before it was accepted: nothing is sent.'),
  send('unreadable_answer', 'Garble the answer', 'It is accepted, and the answer is not JSON.'),
  send('hold_key', 'Hold the key in flight', 'It is accepted; repeats are 409 until the key is released.'),
  send('forget_key', 'Forget the key', 'It is accepted; a repeat is sent again.'),
]

export const DELIVERY_PRESETS: readonly Preset[] = [
  delivery('duplicate', 'Duplicate', 'It arrives twice at the same time, under one id.'),
  delivery('shuffle', 'Shuffle', 'It arrives after a later one.'),
  delivery('late', 'Late', 'It arrives ten minutes late.'),
  delivery('tamper', 'Tamper', 'Its body is changed after signing.'),
  delivery('stale', 'Stale', 'Its timestamp is 301 seconds old.'),
  delivery('wrong_secret', 'Wrong secret', 'It is signed with another secret.'),
  delivery('unknown_event', 'Unknown event', 'A delivery of an unknown event arrives too.'),
  delivery('unknown_fields', 'Unknown fields', 'Its payload has unknown members.'),
  delivery('lose_answer', "Lose the app's answer", 'It counts as failed and is sent again.'),
]

const ALL = [...SEND_PRESETS, ...DELIVERY_PRESETS]

function presetOf(rule: FaultRule): Preset | undefined {
  return ALL.find((preset) => isOf(rule, preset))
}

/** True if the rule equals this preset's rule, wherever it was armed. */
export function isOf(rule: FaultRule, { rule: own }: Preset): boolean {
  return own.on === rule.on && own.do === rule.do && statusOf(own) === statusOf(rule)
}

function statusOf(rule: FaultRule): number | undefined {
  return rule.on === 'send' ? rule.status : undefined
}

export function faultTitle(rule: FaultRule): string {
  const error = rule.on === 'send' ? (rule.code ?? rule.status) : undefined
  const parts = [rule.do.replaceAll('_', ' '), error].filter((part) => part !== undefined)
  return presetOf(rule)?.title ?? parts.join(' ')
}

/** The sends or deliveries that a rule still applies to: `the next 2 to 255712000101`. */
export function faultSchedule(rule: FaultRule): string {
  const { next, every, to } = rule
  const often =
    next !== undefined ? `the next ${next}` : every !== undefined && every > 1 ? `one in ${every}` : 'each one'
  const event = rule.on === 'delivery' ? rule.event : undefined
  return [often, event && `of ${event}`, to && `${rule.on === 'send' ? 'to' : 'about'} ${to}`].filter(Boolean).join(' ')
}
