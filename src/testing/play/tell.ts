import type { PlayAct } from './file.ts'

/** A step for people, in one line: `255712000101 says "hours"`. */
export function tellStep(step: PlayAct): string {
  if ('advance' in step) return `${step.advance} pass`
  const at = step.number === undefined ? '' : ` to ${step.number}`
  if ('event' in step) return `${step.event} comes${at}`
  return `${step.customer} ${actOf(step)}${at}`
}

function actOf(step: Extract<PlayAct, { customer: string }>): string {
  if ('says' in step) return `says ${JSON.stringify(step.says)}`
  if ('taps' in step) return `taps ${JSON.stringify(step.taps)}`
  const { kind, caption } = step.sends
  return `sends ${kind} ${caption === undefined ? step.sends.url : JSON.stringify(caption)}`
}
