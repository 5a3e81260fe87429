import { levelOf, MATRIX, type Verdict } from '../../verify/index.ts'
import { escapeXml } from '../support/junit.ts'
import { oneLine } from '../support/output.ts'

const MARKS = { passed: 'ok', failed: 'FALLS', warned: 'warns', skipped: '-' } as const

const WIDTHS = {
  mark: 5,
  rules: Math.max(...MATRIX.map(({ rules }) => rules.join(' ').length)),
  id: Math.max(...MATRIX.map(({ id }) => id.length)),
}

/** A verdict for people: one line, and below it what was sent, what came and what to mend if it did not pass. */
export function verdictLines({ check, state, sent, came, expected }: Verdict): string {
  const { id, rules, says, mend } = check
  const mark = MARKS[state].padEnd(WIDTHS.mark)
  const head = `${mark}  ${rules.join(' ').padEnd(WIDTHS.rules)}  ${id.padEnd(WIDTHS.id)}  ${says}`
  if (state === 'passed') return head
  if (state === 'skipped') return `${head} (not judged: ${oneLine(came)})`
  const more = { sent, came, expected, mend }
  return [head, ...Object.entries(more).map(([name, text]) => `         ${name.padEnd(8)}  ${oneLine(text)}`)].join(
    '\n',
  )
}

export function verdictJson({ check, state, sent, came, expected, ms }: Verdict): string {
  const { id, rules, says, mend } = check
  const level = levelOf(check)
  return JSON.stringify({ kind: 'check', id, rules, level, state, says, sent, came, expected, ms, mend })
}

export type Score = ReturnType<typeof scoreOf>

export function scoreOf(verdicts: readonly Verdict[]) {
  const score = { passed: 0, failed: 0, warned: 0, skipped: 0 }
  for (const { state } of verdicts) score[state]++
  return score
}

export function scoreText({ passed, failed, warned, skipped }: Score): string {
  const parts = [`${passed} passed`, `${failed} fell`, `${warned} warned`, `${skipped} not judged`]
  return `${parts.join(', ')}.`
}

/** A report in JUnit's XML for CI systems; a warning is a passed case with output. */
export function junit(verdicts: readonly Verdict[], url: string): string {
  const { failed, skipped } = scoreOf(verdicts)
  const seconds = verdicts.reduce((sum, { ms }) => sum + ms, 0) / 1_000
  const counts = `tests="${verdicts.length}" failures="${failed}" errors="0" skipped="${skipped}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="switchhook verify ${escapeXml(url)}" ${counts} time="${seconds}">`,
    ...verdicts.map(testCase),
    '</testsuite>',
    '',
  ].join('\n')
}

function testCase({ check, state, sent, came, expected, ms }: Verdict): string {
  const { id, rules, says, mend } = check
  const name = `${rules.length > 0 ? `${rules.join(' ')} ` : ''}${says}`
  const head = `  <testcase classname="${escapeXml(id)}" name="${escapeXml(name)}" time="${ms / 1_000}"`
  if (state === 'passed') return `${head}/>`
  const text = escapeXml(`sent: ${sent}\ncame: ${came}\nexpected: ${expected}\nmend: ${mend}`)
  const inner = {
    skipped: `<skipped message="${escapeXml(came)}"/>`,
    warned: `<system-out>${text}</system-out>`,
    failed: `<failure message="${escapeXml(`came: ${came}; expected: ${expected}`)}">${text}</failure>`,
  }[state]
  return `${head}>${inner}</testcase>`
}
