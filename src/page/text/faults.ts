import type { DeliveryFault } from '../../emulator/model/fault-rules.ts'
import type { SendFault } from '../../emulator/model/fault-rules.ts'
import type { FaultRule } from '../wire/types.ts'

/** A fault that the page offers at one click. */
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
  send('lose_answer', 'Lose the answer', 'It is accepted, and the app never hears so.'),
  send('status', '429 too many requests', 'It is not sent; a retry helps.', { status: 429 }),
  send('status', '500 internal error', 'Whether it was sent, nobody knows.', { status: 500 }),
  send('status', '502 send failed', 'The upstream platform refused it.', { status: 502 }),
  send('time_out', 'Time out', 'Never an answer, and nothing is sent.'),
  send('cut_before', 'Cut the connection', 'Before it was accepted: nothing is sent.'),
  send('unreadable_answer', 'Garble the answer', 'It is accepted, and the answer is no JSON.'),
  send('hold_key', 'Hold the key in flight', 'It is accepted; repeats are 409 until the key is released.'),
  send('forget_key', 'Forget the key', 'It is accepted; a repeat is sent once more.'),
]

export const DELIVERY_PRESETS: readonly Preset[] = [
  delivery('duplicate', 'Duplicate', 'It comes twice at the same time, under one id.'),
  delivery('shuffle', 'Shuffle', 'It comes after a later one.'),
  delivery('late', 'Late', 'It comes ten minutes late.'),
  delivery('tamper', 'Tamper', 'Its body is changed behind the signature.'),
  delivery('stale', 'Stale', 'It is signed as of 301 seconds ago.'),
  delivery('wrong_secret', 'Wrong secret', 'It is signed with another secret.'),
  delivery('unknown_event', 'Unknown event', 'One more comes beside it, of an event unheard of.'),
  delivery('unknown_fields', 'Unknown fields', 'It has members that nobody has heard of.'),
  delivery('lose_answer', "Lose the app's answer", 'It counts as failed and comes again.'),
]

const ALL = [...SEND_PRESETS, ...DELIVERY_PRESETS]

/** The preset of a rule. A rule that was armed elsewhere may have none. */
function presetOf(rule: FaultRule): Preset | undefined {
  return ALL.find((preset) => isOf(rule, preset))
}

/** Tells if a rule was armed by this preset, or as this preset would arm it. */
export function isOf(rule: FaultRule, { rule: own }: Preset): boolean {
  return own.on === rule.on && own.do === rule.do && statusOf(own) === statusOf(rule)
}

function statusOf(rule: FaultRule): number | undefined {
  return rule.on === 'send' ? rule.status : undefined
}

/** Names what a rule does: `Lose the answer`. */
export function faultTitle(rule: FaultRule): string {
  const error = rule.on === 'send' ? (rule.code ?? rule.status) : undefined
  const parts = [rule.do.replaceAll('_', ' '), error].filter((part) => part !== undefined)
  return presetOf(rule)?.title ?? parts.join(' ')
}

/** Says which sends or deliveries a rule still strikes: `the next 2 sends to 255712000101`. */
export function faultSchedule(rule: FaultRule): string {
  const { next, every, to } = rule
  const event = rule.on === 'delivery' ? rule.event : undefined
  const noun = event === undefined ? rule.on : `delivery of ${event}`
  return [frequency(noun, next, every), to !== undefined && `${rule.on === 'send' ? 'to' : 'about'} ${to}`]
    .filter(Boolean)
    .join(' ')
}

function frequency(noun: string, next?: number, every?: number): string {
  if (next === 1) return `the next ${noun}`
  if (next !== undefined) return `the next ${next} ${plural(noun)}`
  if (every !== undefined && every > 1) return `every ${ordinal(every)} ${noun}`
  return `every ${noun}`
}

function plural(noun: string): string {
  return noun.replace(/^(?:send|deliver)(y?)/, (word, y: string) => (y === '' ? `${word}s` : 'deliveries'))
}

function ordinal(count: number): string {
  const [tens, ones] = [count % 100, count % 10]
  const ending = tens > 10 && tens < 14 ? 'th' : ({ 1: 'st', 2: 'nd', 3: 'rd' }[ones] ?? 'th')
  return `${count}${ending}`
}

/** The choice of how often a fault strikes, and for whom. */
export interface Repetition {
  readonly how: 'next' | 'every' | 'always'
  readonly count: number
  /** True if it strikes only for the selected customer. */
  readonly onlyOne: boolean
}

/** Adds the repetition to a rule, in the form that the emulator takes. */
export function withRepetition(rule: FaultRule, { how, count, onlyOne }: Repetition, digits: string): FaultRule {
  const strikes = { next: { next: count }, every: { every: count }, always: {} }[how]
  return { ...rule, ...strikes, ...(onlyOne && { to: digits }) }
}
