import { expectationOf } from '../../testing/play/compare.ts'
import { describeStep } from '../../testing/play/file.ts'
import { escaped } from '../junit.ts'
import type { Played } from './run.ts'

/** A file and what became of its steps. */
export interface PlayedFile {
  readonly path: string
  readonly name: string
  readonly steps: readonly Played[]
}

export interface PlayScore {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

const MARKS = { passed: 'ok   ', failed: 'FALLS', skipped: '-    ' } as const

/** One step for people: a line, and below it what differs where it falls. */
export function linesOf({ step, state, why }: Played): string {
  const line = `  ${MARKS[state]}  ${describeStep(step)}${state === 'skipped' ? ' (not played)' : ''}`
  return why === undefined ? line : `${line}\n${why.replaceAll(/^/gm, '       ')}`
}

/** The same as one line of JSON. */
export function jsonOf({ step, state, came, why, ms }: Played, about: { file: string; step: number }): string {
  const told = { kind: 'step', ...about, does: describeStep(step), state }
  return JSON.stringify({ ...told, expected: step.expect, came: came.map(expectationOf), why, ms })
}

export function scoreOf(files: readonly PlayedFile[]): PlayScore {
  const score = { passed: 0, failed: 0, skipped: 0 }
  for (const { state } of files.flatMap(({ steps }) => steps)) score[state]++
  return score
}

/** As JUnit's XML, which CI systems read: a suite a file, a case a step. */
export function junit(files: readonly PlayedFile[]): string {
  const suites = files.map((file) => {
    const { failed, skipped } = scoreOf([file])
    const counts = `tests="${file.steps.length}" failures="${failed}" errors="0" skipped="${skipped}"`
    const cases = file.steps.map((played, index) => caseOf(played, `${file.path} step ${index + 1}`))
    return [`<testsuite name="${escaped(file.name)}" ${counts}>`, ...cases, '</testsuite>'].join('\n')
  })
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n')
}

function caseOf({ step, state, why = '', ms }: Played, where: string): string {
  const head = `  <testcase classname="${escaped(where)}" name="${escaped(describeStep(step))}" time="${ms / 1_000}"`
  if (state === 'passed') return `${head}/>`
  const inner = state === 'skipped' ? '<skipped/>' : `<failure message="it falls">${escaped(why)}</failure>`
  return `${head}>${inner}</testcase>`
}
