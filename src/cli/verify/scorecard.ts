import { MATRIX, type Verdict } from '../../verify/index.ts'
import { plain } from '../table.ts'

const MARKS = { passed: 'ok', failed: 'FALLS', warned: 'warns', skipped: '-' } as const
const WIDTHS = {
  mark: 5,
  rules: Math.max(...MATRIX.map(({ rules }) => rules.join(' ').length)),
  id: Math.max(...MATRIX.map(({ id }) => id.length)),
}

/** A verdict for people: one line, and below it what was sent, what came and how to mend it where it did not pass. */
export function linesOf({ check, state, sent, came, expected }: Verdict): string {
  const { id, rules, says, mend } = check
  const mark = MARKS[state].padEnd(WIDTHS.mark)
  const head = `${mark}  ${rules.join(' ').padEnd(WIDTHS.rules)}  ${id.padEnd(WIDTHS.id)}  ${says}`
  if (state === 'passed') return head
  if (state === 'skipped') return `${head} (not judged: ${plain(came)})`
  const more = { sent, came, expected, mend }
  return [head, ...Object.entries(more).map(([name, words]) => `         ${name.padEnd(8)}  ${plain(words)}`)].join(
    '\n',
  )
}

/** The same as one line of JSON. */
export function jsonOf({ check, state, sent, came, expected, ms }: Verdict): string {
  const { id, rules, level, says, mend } = check
  return JSON.stringify({ kind: 'check', id, rules, level, state, says, sent, came, expected, ms, mend })
}

export interface Score {
  readonly passed: number
  readonly failed: number
  readonly warned: number
  readonly skipped: number
}

export function scoreOf(verdicts: readonly Verdict[]): Score {
  const score = { passed: 0, failed: 0, warned: 0, skipped: 0 }
  for (const { state } of verdicts) score[state]++
  return score
}

export function wordsOf({ passed, failed, warned, skipped }: Score): string {
  const words = [`${passed} passed`, `${failed} fell`, `${warned} warned`, `${skipped} not judged`]
  return `${words.join(', ')}.`
}
