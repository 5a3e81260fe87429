import { type ChildProcess, spawn } from 'node:child_process'
import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { optionsInvalid } from '../../base/errors.ts'
import { BACKTEST_VARIABLE } from '../../app/backtesting.ts'
import { exchangeIn } from '../../backtest/exchange.ts'
import type { Recorded, Run, WorldOptions } from '../../backtest/recording.ts'
import { DEFAULT_HEADER_PREFIX } from '../../contract/delivery.ts'
import { Interrupted } from '../support/exit.ts'
import { temporaryFolder } from '../support/files.ts'
import type { Io } from '../support/io.ts'
import { endGroupWithParent, HAS_GROUPS, signalGroup } from '../support/process-group.ts'
import { onSignals } from '../support/signals.ts'

/** The app's time to start its bot; it may have to be compiled. */
const START_MS = 60_000
const LOOK_EVERY_MS = 50
/** The app's time to end after its bot was played, and its group's to end with this process. */
const END_MS = 5_000
/** For so long the bot goes on after the last delivery: timers, scheduled sends and back-offs of a day. */
const AFTERWARDS_MS = 86_400_000
/** The last lines of an app, for the error that it could not be played. */
const LINES_SHOWN = 15

/** Loaded by Node before the app's own code: from the sources as they are, or compiled. */
const PRELOAD = new URL(`../../backtest/preload${extname(fileURLToPath(import.meta.url))}`, import.meta.url)

/**
 * Starts the app's command, has its bot play the deliveries, and ends it.
 *
 * @throws SwitchhookError `options_invalid` if it could not be played.
 */
export async function runApp(
  io: Io,
  command: readonly string[],
  world: WorldOptions,
  deliveries: readonly Recorded[],
): Promise<Run> {
  // A signal ends the app, and the folder with the customers' messages, before this process.
  let isInterrupted = false
  using _signals = onSignals(() => void (isInterrupted = true))
  using folder = temporaryFolder('backtest')
  const exchange = exchangeIn(folder.path)
  exchange.give({ ...world, afterMs: AFTERWARDS_MS }, deliveries)
  using app = startApp(command, { ...io.env, ...environmentOfApp(io, folder.path) })
  const until = performance.now() + START_MS
  for (;;) {
    // Looked at first: an app answers before it ends.
    const problem = app.problem()
    const answer = exchange.answer()
    if (answer && 'run' in answer) {
      await Promise.race([app.ended, sleep(END_MS, undefined, { ref: false })])
      return answer.run
    }
    if (answer) throw optionsInvalid(`the bot could not be played: ${answer.failed}`)
    if (isInterrupted) throw new Interrupted('interrupted: nothing was written')
    if (problem !== undefined) throw optionsInvalid(`${problem}${lastLines(app.output())}`)
    if (performance.now() > until && !exchange.begun())
      throw optionsInvalid(`the app has not started a bot within ${START_MS / 1_000} s${lastLines(app.output())}`)
    await Promise.race([app.ended, sleep(LOOK_EVERY_MS)])
  }
}

/** Everything that names the service or the app's database leads nowhere: also what the app reads by itself. */
function environmentOfApp({ env }: Io, folder: string): Record<string, string> {
  return {
    [BACKTEST_VARIABLE]: folder,
    NODE_OPTIONS: [env['NODE_OPTIONS'], `--import=${PRELOAD.href}`].filter(Boolean).join(' '),
    SWITCHHOOK_BASE_URL: 'http://127.0.0.1:9',
    SWITCHHOOK_ACCESS_TOKEN: 'backtest',
    SWITCHHOOK_SIGNING_SECRET: 'backtest',
    SWITCHHOOK_PHONE_NUMBER_ID: '',
    SWITCHHOOK_HEADER_PREFIX: DEFAULT_HEADER_PREFIX,
    SWITCHHOOK_DATABASE: ':memory:',
    SWITCHHOOK_ALLOWED_RECIPIENTS: '',
  }
}

interface App extends Disposable {
  readonly ended: Promise<void>
  /** Set if the app has ended: it ends by itself once it was played. */
  problem(): string | undefined
  output(): readonly string[]
}

function startApp([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): App {
  // In a group of its own, so that an app behind npm or a shell ends with it.
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: HAS_GROUPS })
  const guard = endGroupWithParent(child, END_MS)
  const lines = keepLastLines(child)
  let problem: string | undefined
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      problem = `${file} cannot be started: ${error.message}`
      resolve()
    })
    child.once('close', (code, signal) => {
      problem ??= `the app has ended with ${signal ?? code} and played nothing: does this command start its bot?`
      resolve()
    })
  })
  return {
    ended,
    problem: () => problem,
    output: () => lines,
    [Symbol.dispose]() {
      signalGroup(child, 'SIGKILL')
      guard[Symbol.dispose]()
    },
  }
}

function keepLastLines({ stdout, stderr }: ChildProcess): readonly string[] {
  const lines: string[] = []
  for (const output of [stdout, stderr])
    output?.setEncoding('utf8').on('data', (text: string) => {
      lines.push(...text.split('\n').filter((line) => line.trim() !== ''))
      lines.splice(0, lines.length - LINES_SHOWN)
    })
  return lines
}

function lastLines(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\nWhat it printed last:\n  ${lines.join('\n  ')}`
}
