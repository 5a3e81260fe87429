import { toMs } from '../../base/duration.ts'
import type { BuiltInOption } from '../../bot/feature.ts'
import { checkMembers, countFromOne, positiveDuration, refuse } from '../../bot/option-checks.ts'
import type { BurstOptions } from './burst-options.ts'

export const burst: BuiltInOption<BurstOptions> = {
  check(value, name) {
    checkMembers(value, name, { quiet: positiveDuration, max: positiveDuration, maxMessages: countFromOne })
    const { quiet, max } = value as Partial<BurstOptions>
    if (quiet === undefined) throw refuse(`${name}.quiet`, "a span such as '1500ms'", undefined)
    if (max !== undefined && toMs(max) < toMs(quiet))
      throw refuse(`${name}.max`, 'no less than quiet', max, 'a shorter span')
  },
  gathers({ quiet, max, maxMessages = 20 }, { isHandledAlone }) {
    const quietMs = toMs(quiet)
    const rules = { quietMs, maxMs: max === undefined ? 5 * quietMs : toMs(max), maxMessages }
    return ({ values, sure }) => {
      const isAlone = values.tapped !== undefined || !sure.includes('customer') || isHandledAlone(values)
      return isAlone ? 'flushes' : rules
    }
  },
}
