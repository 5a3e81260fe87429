import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import type { PlayFile } from '../../testing/play/file.ts'
import { readPlayFile } from '../../testing/play/play.ts'
import { readSpan } from '../arguments.ts'
import { EXIT } from '../exit.ts'
import { writeReport } from '../junit.ts'
import { readInput } from '../read-input.ts'
import { type RunningFlags, runningEmulator } from '../running-emulator.ts'
import { jsonOf, junit, linesOf, type PlayedFile, type PlayScore, scoreOf } from './report.ts'
import { runFile } from './run.ts'
import { approve, createStage } from './stage.ts'
import { watchEmulator } from './watch.ts'

interface PlayFlags extends RunningFlags {
  readonly wait?: string
  readonly junit?: string
  readonly json?: boolean
}

const WAIT = '5s'

/** `switchhook play FILE…`: conversations against a running app beside a running emulator; exits with 1 where one falls. */
export async function play(paths: readonly string[], flags: PlayFlags): Promise<void> {
  const waitMs = readSpan(flags.wait ?? WAIT, '--wait')
  const files = await Promise.all(paths.map(async (path) => ({ path, file: await readFile(path) })))
  const control = runningEmulator(flags)
  // By a change of nothing: so a wrong token is told of at once, and not as a step that falls.
  await control.change('POST', 'clock', { advance: 0 })
  using watch = await watchEmulator(control.url, new Set(files.flatMap(({ file }) => playersOf(file))))
  const stage = createStage(control)
  const print = (line: string) => void process.stdout.write(`${line}\n`)

  const played: PlayedFile[] = []
  for (const { path, file } of files) {
    if (!flags.json) print(`${file.name}  (${path})`)
    await approve(control, file)
    const steps = await runFile(file, {
      stage,
      watch,
      waitMs,
      onPlayed: (one, index) => print(flags.json ? jsonOf(one, { file: path, step: index + 1 }) : linesOf(one)),
    })
    played.push({ path, name: file.name, steps })
  }

  const score = scoreOf(played)
  print(flags.json ? JSON.stringify({ kind: 'score', ...score }) : `\n${wordsOf(score)}`)
  if (flags.junit !== undefined) writeReport(flags.junit, junit(played))
  process.exitCode = score.failed > 0 ? EXIT.failed : EXIT.done
}

/** Who is played, and who is expected to hear something. */
function playersOf({ steps }: PlayFile): string[] {
  return steps.flatMap((step) => [
    ...('customer' in step ? [step.customer] : []),
    ...(step.expect ?? []).flatMap(({ to }) => to ?? []),
  ])
}

function wordsOf({ passed, failed, skipped }: PlayScore): string {
  return `${passed} passed, ${failed} fell, ${skipped} not played.`
}

async function readFile(path: string): Promise<PlayFile> {
  const text = (await readInput(path, 'FILE')).toString('utf8')
  try {
    return readPlayFile(JSON.parse(text))
  } catch (error) {
    throw new SwitchhookError('options_invalid', `${path}: ${reasonOf(error)}`, { cause: error })
  }
}
