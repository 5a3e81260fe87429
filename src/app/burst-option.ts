import { type Duration, toMs } from '../base/duration.ts'
import type { BurstRules } from '../stores/port/index.ts'
import { type Check, checkMembers, countFromOne, positiveDuration, refuse } from './option-table.ts'

/** When the messages that a customer writes in a row are handled, as one. */
export interface BurstOptions {
  /** They are handled once the customer has been quiet for this long. */
  quiet: Duration
  /** They are handled this long after the first of them at the latest. Default five times `quiet`. */
  max?: Duration
  /** So many are handled at once, without a wait. Default 20. */
  maxMessages?: number
}

export const burstOptions: Check = (value, name) => {
  checkMembers(value, name, { quiet: positiveDuration, max: positiveDuration, maxMessages: countFromOne })
  const { quiet, max } = value as Partial<BurstOptions>
  if (quiet === undefined) throw refuse(`${name}.quiet`, "a span such as '1500ms'", undefined)
  if (max !== undefined && toMs(max) < toMs(quiet))
    throw refuse(`${name}.max`, 'no less than quiet', max, 'a shorter span')
}

export function burstRules(given: BurstOptions | undefined): BurstRules | undefined {
  if (given === undefined) return undefined
  const { quiet, max, maxMessages = 20 } = given
  const quietMs = toMs(quiet)
  return { quietMs, maxMs: max === undefined ? 5 * quietMs : toMs(max), maxMessages }
}
