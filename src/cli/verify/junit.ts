import type { Verdict } from '../../verify/index.ts'
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

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** XML knows no way to write these. */
const UNWRITABLE = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/g

export function escaped(text: string): string {
  return text.replaceAll(UNWRITABLE, '?').replaceAll(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter)
}
