import type { BurstPart, BurstRules } from '../stores/port/index.ts'
import type { KeptFacts } from './kept-facts.ts'

export interface Bursts {
  readonly rules: BurstRules
  /** True for a message that a route takes which has opted out of bursts. */
  standsAlone(values: KeptFacts['values']): boolean
}

/**
 * The part that a message takes in bursts. A tap is an answer alone. A message whose customer is not sure must
 * not be taken for the words of the one who wrote the others.
 */
export function burstPartOf({ values, sure }: KeptFacts, { rules, standsAlone }: Bursts): BurstPart {
  const alone = values.tapped !== undefined || !sure.includes('customer') || standsAlone(values)
  return alone ? 'flushes' : rules
}
