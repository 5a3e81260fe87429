import type { Command } from 'commander'
import { optionsInvalid, reasonOf } from '../../base/errors.ts'
import type { PlayFile } from '../../testing/play/file.ts'
import { readPlayFile } from '../../testing/play/play.ts'
import { readSpan } from '../support/arguments.ts'
import { EMULATOR_OPTIONS, runningEmulator, type RunningFlags } from '../support/emulator.ts'
import { EXIT } from '../support/exit.ts'
import { readInput } from '../support/files.ts'
import type { Io } from '../support/io.ts'
import { writeReport } from '../support/junit.ts'
import { junit, type PlayedFile, type PlayScore, scoreOf, stepJson, stepLines } from './report.ts'
import { runFile } from './run.ts'
import { addTemplates, createRunStep } from './steps.ts'
import { watchEmulator } from './watch.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .argument('<file...>', 'conversations as the page of the emulator records them; - is stdin')
    .option('--wait <span>', 'how long a step may take; a step that expects nothing takes all of it (default: 5s)')
    .option(...EMULATOR_OPTIONS.address)
    .option(...EMULATOR_OPTIONS.token)
    .option('--junit <file>', "a file for a report in JUnit's XML")
    .option('--json', 'one object a line on stdout: {"kind":"step",…}, and {"kind":"score",…} at the end')
    .addHelpText('after', EXAMPLE)
    .action((paths, flags) => play(io, paths, flags))
}

const EXAMPLE = `
Exit codes: 0 all steps hold, 1 one falls, 2 usage, 3 no emulator answers.

Example:
  $ switchhook play test/opening-hours.json
`

interface PlayFlags extends RunningFlags {
  readonly wait?: string
  readonly junit?: string
}

const WAIT = '5s'

/** Plays recorded conversations against the app beside a running emulator; exits with 1 if a step fails. */
async function play(io: Io, paths: readonly string[], flags: PlayFlags): Promise<void> {
  const waitMs = readSpan(flags.wait ?? WAIT, '--wait')
  const files = await Promise.all(paths.map(async (path) => ({ path, file: await readFile(io, path) })))
  const control = runningEmulator(io, flags)
  using watch = await watchEmulator(control, new Set(files.flatMap(({ file }) => playersOf(file))))
  const happens = createRunStep(control)
  const print = (line: string) => io.out(line)

  const played: PlayedFile[] = []
  for (const { path, file } of files) {
    if (!flags.json) print(`${file.name}  (${path})`)
    await addTemplates(control, file)
    const steps = await runFile(file, {
      happens,
      watch,
      waitMs,
      onPlayed: (one, index) => print(flags.json ? stepJson(one, { file: path, step: index + 1 }) : stepLines(one)),
    })
    played.push({ path, name: file.name, steps })
  }

  const score = scoreOf(played)
  print(flags.json ? JSON.stringify({ kind: 'score', ...score }) : `\n${scoreText(score)}`)
  if (flags.junit !== undefined) writeReport(flags.junit, junit(played))
  io.exitCode = score.failed > 0 ? EXIT.failed : EXIT.done
}

/** The customers who act or are expected to receive something. */
function playersOf({ steps }: PlayFile): string[] {
  return steps.flatMap((step) => [
    ...('customer' in step ? [step.customer] : []),
    ...(step.expect ?? []).flatMap(({ to }) => to ?? []),
  ])
}

function scoreText({ passed, failed, skipped }: PlayScore): string {
  return `${passed} passed, ${failed} fell, ${skipped} not played.`
}

async function readFile(io: Io, path: string): Promise<PlayFile> {
  const text = (await readInput(io, path, 'FILE')).toString('utf8')
  try {
    return readPlayFile(JSON.parse(text))
  } catch (error) {
    throw optionsInvalid(`${path}: ${reasonOf(error)}`, { cause: error })
  }
}
