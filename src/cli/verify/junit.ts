import type { Verdict } from '../../verify/index.ts'
import { escaped } from '../junit.ts'
import { scoreOf } from './scorecard.ts'

/** The verdicts as JUnit's XML, which CI systems read; a warning is a passed case with words. */
export function junit(verdicts: readonly Verdict[], url: string): string {
  const { failed, skipped } = scoreOf(verdicts)
  const seconds = verdicts.reduce((sum, { ms }) => sum + ms, 0) / 1_000
  const counts = `tests="${verdicts.length}" failures="${failed}" errors="0" skipped="${skipped}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="switchhook verify ${escaped(url)}" ${counts} time="${seconds}">`,
    ...verdicts.map(caseOf),
    '</testsuite>',
    '',
  ].join('\n')
}

function caseOf({ check, state, sent, came, expected, ms }: Verdict): string {
  const { id, rules, says, mend } = check
  const name = `${rules.length > 0 ? `${rules.join(' ')} ` : ''}${says}`
  const head = `  <testcase classname="${escaped(id)}" name="${escaped(name)}" time="${ms / 1_000}"`
  if (state === 'passed') return `${head}/>`
  const words = escaped(`sent: ${sent}\ncame: ${came}\nexpected: ${expected}\nmend: ${mend}`)
  const inner = {
    skipped: `<skipped message="${escaped(came)}"/>`,
    warned: `<system-out>${words}</system-out>`,
    failed: `<failure message="${escaped(`came: ${came}; expected: ${expected}`)}">${words}</failure>`,
  }[state]
  return `${head}>${inner}</testcase>`
}
