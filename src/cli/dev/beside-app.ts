import type { Signals } from '../support/signals.ts'
import { runApp } from './app.ts'
import { keepRunning, type KeepRunningOptions } from './keep-running.ts'
import { createSources, REPORT_LOADED } from './sources.ts'
import { watchFiles } from './watch.ts'

/** The bot's line about each send; the conversation shows the send itself. */
const SEND_ACCEPTED = 'send accepted'

export interface AppToRun {
  readonly command: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  readonly restartAfterExit: KeepRunningOptions['restartAfterExit']
  /** Globs in place of the app's sources; false: it is never restarted. */
  readonly watch: readonly string[] | false | undefined
}

interface AppDeps {
  readonly print: (line: string) => void
  readonly showsWire: () => boolean
  /** To be called at each start of the app. */
  readonly started: () => void
  readonly signals: Signals
  readonly closePhone: () => void
}

/** Runs the app, and starts it again when its sources change; resolves with the exit code. */
export async function runBesideApp(
  { command, environment, restartAfterExit, watch }: AppToRun,
  { print, showsWire, started, signals, closePhone }: AppDeps,
): Promise<number> {
  const sources = createSources()
  const printLine = (line: string, message?: string) => {
    if (message !== SEND_ACCEPTED || showsWire()) print(line.replaceAll(/^/gm, '  | '))
  }
  const start = () => {
    const begun = runApp(command, { ...environment, ...REPORT_LOADED }, printLine, sources.heard)
    sources.setRunning(true)
    void begun.ended.then(() => sources.setRunning(false))
    started()
    return begun
  }
  let app: ReturnType<typeof keepRunning> | undefined
  const changed = (file: string) => app?.changed(file)
  await using _watch =
    watch === false ? undefined : await watchFiles(watch ?? [], { isSource: sources.includes, changed, print })
  app = keepRunning({ start, print, restartAfterExit })
  try {
    const end = await Promise.race([signals.stopped, app.ended])
    if (typeof end === 'number') return end
    print(end.message)
    return end.code
  } finally {
    closePhone()
    const patience = setTimeout(() => print('The app has not ended yet; Ctrl-C kills it.'), 1_000)
    void signals.hurried.then(() => print('The app is killed.'))
    await app.stop(signals)
    clearTimeout(patience)
  }
}
