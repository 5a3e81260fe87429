import type { DeliveryFault } from '../../emulator/model/fault-rules.ts'
import type { SendFault } from '../../emulator/model/fault-rules.ts'
import type { FaultRule } from '../wire/types.ts'

/** Something that can go wrong, one click away. */
export interface Preset {
  readonly title: string
  /** What happens then, in words. */
  readonly means: string
  readonly rule: FaultRule
}

const send = (what: SendFault, title: string, means: string, more: { status?: number } = {}): Preset => ({
  title,
  means,
  rule: { on: 'send', do: what, ...more },
})

const delivery = (what: DeliveryFault, title: string, means: string): Preset => ({
  title,
  means,
  rule: { on: 'delivery', do: what },
})

/** What can go wrong with a send of the app's. */
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

/** What can go wrong with a delivery to the app. */
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

/** The preset that a rule is of; a rule may have been armed elsewhere and be of none. */
export function presetOf(rule: FaultRule): Preset | undefined {
  return ALL.find(
    (preset) => preset.rule.on === rule.on && preset.rule.do === rule.do && statusOf(preset.rule) === statusOf(rule),
  )
}

function statusOf(rule: FaultRule): number | undefined {
  return rule.on === 'send' ? rule.status : undefined
}

/** What a rule does: `Lose the answer`. */
export function titleOf(rule: FaultRule): string {
  const error = rule.on === 'send' ? (rule.code ?? rule.status) : undefined
  const words = [rule.do.replaceAll('_', ' '), error].filter((word) => word !== undefined)
  return presetOf(rule)?.title ?? words.join(' ')
}

/** When it strikes, and what is left of it: `the next 2 sends to 255712000101`. */
export function whenOf(rule: FaultRule): string {
  const { next, every, to } = rule
  const event = rule.on === 'delivery' ? rule.event : undefined
  const noun = event === undefined ? rule.on : `delivery of ${event}`
  return [oftenOf(noun, next, every), to !== undefined && `${rule.on === 'send' ? 'to' : 'about'} ${to}`]
    .filter(Boolean)
    .join(' ')
}

function oftenOf(noun: string, next?: number, every?: number): string {
  if (next === 1) return `the next ${noun}`
  if (next !== undefined) return `the next ${next} ${manyOf(noun)}`
  if (every !== undefined && every > 1) return `every ${ordinal(every)} ${noun}`
  return `every ${noun}`
}

function manyOf(noun: string): string {
  return noun.replace(/^(?:send|deliver)(y?)/, (word, y: string) => (y === '' ? `${word}s` : 'deliveries'))
}

function ordinal(count: number): string {
  const [tens, ones] = [count % 100, count % 10]
  const ending = tens > 10 && tens < 14 ? 'th' : ({ 1: 'st', 2: 'nd', 3: 'rd' }[ones] ?? 'th')
  return `${count}${ending}`
}

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
