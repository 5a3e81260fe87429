import type { Comparison } from '../../backtest/compare.ts'
import type { Slower } from '../../backtest/slower.ts'
import type { Finding, Part } from './findings.ts'

/** The report for a terminal: a line of counts, then each finding with the first delivery that has it. */
export function reportLines(compared: Comparison, findings: readonly Finding[]): string[] {
  const { notRepeatable, slower } = compared
  return [
    scoreText(compared),
    ...findings.flatMap((finding) => ['', headOf(finding), `  ${finding.parts.map(marked).join('')}`]),
    ...(slower.length > 0 ? ['', ...slower.map((one) => `slower  ${one.route}  ${slowerTimes(one)}`)] : []),
    ...(notRepeatable.length > 0 ? ['', notRepeatableText(notRepeatable)] : []),
  ]
}

/** How many deliveries came to each end, and how much of what no delivery caused has changed. */
export function scoreOf({ deliveries, same, changed, notRepeatable }: Comparison) {
  const counted = changed.filter(({ at }) => at !== undefined).length
  const besides = changed.length - counted
  return { played: deliveries, same, changed: counted, besides, notRepeatable: notRepeatable.length }
}

function scoreText(compared: Comparison): string {
  const { played, same, changed, besides, notRepeatable } = scoreOf(compared)
  const more = besides > 0 ? `; besides, ${besides} of what no delivery caused` : ''
  return `${played} played: ${same} same, ${changed} changed, ${notRepeatable} not repeatable${more}.`
}

function headOf({ kind, route, ids }: Finding): string {
  const times = ids.length === 1 ? ids[0] : `${ids.length} times, first ${ids[0]}`
  return `${kind.replace('_', ' ')}  ${route}  ${times}`
}

/** As `git diff --word-diff` marks them. */
function marked({ in: version, text }: Part): string {
  if (version === 'both') return text
  return version === 'before' ? `[-${text}-]` : `{+${text}+}`
}

export function slowerTimes({ deliveries, thenMs, nowMs }: Slower): string {
  return `${deliveries} times: ${shownMs(thenMs)} → ${shownMs(nowMs)} in the middle`
}

function shownMs(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}

function notRepeatableText(ids: readonly string[]): string {
  return `not repeatable: the same code did not answer twice alike, so these were not compared: ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ' …' : ''}`
}
