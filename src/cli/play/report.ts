import { expectationOf } from '../../testing/play/compare.ts'
import { describeStep } from '../../testing/play/file.ts'
import { escapeXml } from '../support/junit.ts'
import type { StepResult } from './run.ts'

export interface PlayedFile {
  readonly path: string
  readonly name: string
  readonly steps: readonly StepResult[]
}

export type PlayScore = ReturnType<typeof scoreOf>

const MARKS = { passed: 'ok   ', failed: 'FALLS', skipped: '-    ' } as const

/** A step for people: one line, and below it the difference if the step fails. */
export function stepLines({ step, state, why }: StepResult): string {
  const line = `  ${MARKS[state]}  ${describeStep(step)}${state === 'skipped' ? ' (not played)' : ''}`
  return why === undefined ? line : `${line}\n${why.replaceAll(/^/gm, '       ')}`
}

export function stepJson({ step, state, came, why, ms }: StepResult, about: { file: string; step: number }): string {
  const line = { kind: 'step', ...about, does: describeStep(step), state }
  return JSON.stringify({ ...line, expected: step.expect, came: came.map(expectationOf), why, ms })
}

export function scoreOf(files: readonly PlayedFile[]) {
  const score = { passed: 0, failed: 0, skipped: 0 }
  for (const { state } of files.flatMap(({ steps }) => steps)) score[state]++
  return score
}

/** A report in JUnit's XML for CI systems: a suite per file, a case per step. */
export function junit(files: readonly PlayedFile[]): string {
  const suites = files.map((file) => {
    const { failed, skipped } = scoreOf([file])
    const counts = `tests="${file.steps.length}" failures="${failed}" errors="0" skipped="${skipped}"`
    const cases = file.steps.map((played, index) => testCase(played, `${file.path} step ${index + 1}`))
    return [`<testsuite name="${escapeXml(file.name)}" ${counts}>`, ...cases, '</testsuite>'].join('\n')
  })
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n')
}

function testCase({ step, state, why = '', ms }: StepResult, where: string): string {
  const head = `  <testcase classname="${escapeXml(where)}" name="${escapeXml(describeStep(step))}" time="${ms / 1_000}"`
  if (state === 'passed') return `${head}/>`
  const inner = state === 'skipped' ? '<skipped/>' : `<failure message="it falls">${escapeXml(why)}</failure>`
  return `${head}>${inner}</testcase>`
}
