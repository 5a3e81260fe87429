import { optionsInvalid } from '../../base/errors.ts'
import { type Comparison, compareRuns } from '../../backtest/compare.ts'
import { readRecording } from '../../backtest/recording.ts'
import { EXIT } from '../support/exit.ts'
import { readInput, writeNewFile } from '../support/files.ts'
import type { Io } from '../support/io.ts'
import { type Finding, findingsOf, shownId } from './findings.ts'
import { reportPage } from './report-html.ts'
import { reportLines } from './report-text.ts'
import { runTwice, warnOfFailed, warnOfRefused } from './run-twice.ts'

interface CompareFlags {
  readonly html?: string
  readonly slower: string
  readonly allow?: readonly string[]
  readonly reveal?: boolean
  readonly json?: boolean
}

/** Plays the deliveries of a recording through the app as it is now; exits with 1 if it answers otherwise. */
export async function compare(io: Io, file: string, command: readonly string[], flags: CompareFlags): Promise<void> {
  const slowerFactor = factorOf(flags.slower)
  const recording = readRecording((await readInput(io, file, 'the recording')).toString('utf8'), file)
  const { deliveries, runs, world, recordedAt } = recording
  const as = { ...world, allow: [...world.allow, ...(flags.allow ?? [])] }
  const play = async () => {
    const now = await runTwice(io, command, as, deliveries)
    const compared = compareRuns(deliveries, runs, now, { slowerFactor })
    const findings = findingsOf(compared, flags.reveal ?? false)
    const lines = flags.json ? jsonLines(compared, findings, flags) : reportLines(compared, findings)
    for (const line of lines) io.out(line)
    warnOfFailed(io, deliveries, now)
    warnOfRefused(io, now)
    if (compared.changed.length > 0) io.exitCode = EXIT.failed
    return reportPage(compared, findings, recordedAt)
  }
  await (flags.html === undefined ? play() : writeNewFile(flags.html, play))
}

function factorOf(text: string): number {
  const factor = Number(text)
  if (Number.isFinite(factor) && factor >= 1) return factor
  throw optionsInvalid(`--slower: expected a factor from 1 on, such as 2, got ${text}`)
}

function jsonLines(compared: Comparison, findings: readonly Finding[], { reveal = false }: CompareFlags): string[] {
  const { deliveries, same, changed, notRepeatable, slower } = compared
  const score = {
    deliveries,
    same,
    changed: changed.map(({ id }) => shownId(id, reveal)),
    notRepeatable: notRepeatable.map((id) => shownId(id, reveal)),
  }
  return [
    ...findings.map(({ kind: is, ...finding }) => JSON.stringify({ kind: 'finding', is, ...finding })),
    ...slower.map((one) => JSON.stringify({ kind: 'slower', ...one })),
    JSON.stringify({ kind: 'score', ...score }),
  ]
}
