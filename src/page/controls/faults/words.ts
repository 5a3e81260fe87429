import type { FaultRule } from '../../wire/types.ts'
import { presetOf } from './presets.ts'

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
