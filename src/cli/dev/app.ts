import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import { HAS_GROUPS, signalGroup, type Signals } from '../support/signals.ts'
import { escaped } from '../support/io.ts'
import { watchFiles } from './watch.ts'

const OF_THE_WIRE: readonly unknown[] = ['started', 'stopped', 'send accepted']

export interface AppToRun {
  readonly command: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  readonly restartAfterExit: KeepRunningOptions['restartAfterExit']
  /** Files and folders in place of the app's sources; false: it is never restarted. */
  readonly watch: readonly string[] | false | undefined
}

interface AppDeps {
  readonly print: (line: string) => void
  readonly showsWire: () => boolean
  readonly started: () => void
  readonly signals: Signals
  readonly closePhone: () => void
}

export async function runBesideApp(
  { command, environment, restartAfterExit, watch }: AppToRun,
  { print, showsWire, started, signals, closePhone }: AppDeps,
): Promise<number> {
  const printLine = (line: string, message?: string) => {
    if (!OF_THE_WIRE.includes(message) || showsWire()) print(line.replaceAll(/^/gm, '  | '))
  }
  const start = () => {
    const begun = runApp(command, environment, printLine)
    started()
    return begun
  }
  let app: ReturnType<typeof keepRunning> | undefined
  const changed = (file: string) => app?.changed(file)
  await using _watch = watch === false ? undefined : await watchFiles(watch ?? [], { changed, print })
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

export interface KeepRunningOptions {
  readonly start: () => App
  readonly print: (line: string) => void
  /**
   * Says when an app that has ended is restarted at the next change. `once_changed`: only if it was restarted
   * before, which shows that somebody is working on it.
   */
  readonly restartAfterExit: 'always' | 'once_changed' | 'never'
}

interface RestartingApp {
  /** Resolves when the app has ended and will not be restarted. */
  readonly ended: Promise<AppEnd>
  /** Restarts the app. Changes while it stops lead to a single start. */
  changed(file: string): void
  stop(how?: Parameters<App['stop']>[0]): Promise<void>
}

export function keepRunning({ start, print, restartAfterExit }: KeepRunningOptions): RestartingApp {
  /** Resolves with a changed file, or with undefined once `stop` was called. */
  let wakened = Promise.withResolvers<string | undefined>()
  let app = start()
  let isStopping = false

  const runAll = async (): Promise<AppEnd> => {
    for (let starts = 1; ; starts++) {
      const end = await Promise.race([app.ended, wakened.promise.then(() => undefined)])
      if (end !== undefined) {
        // An app that crashed would crash again; only a change can fix it.
        if (restartAfterExit === 'never' || (restartAfterExit === 'once_changed' && starts === 1)) return end
        print(`${end.message} It starts again when a file changes.`)
      }
      const file = await wakened.promise
      if (file !== undefined) {
        print(`${file} changed: the app starts again.`)
        await app.stop()
      }
      if (isStopping) return await app.ended
      wakened = Promise.withResolvers()
      app = start()
    }
  }
  const ended = runAll()

  return {
    ended,
    changed: (file) => wakened.resolve(file),
    async stop(how) {
      isStopping = true
      wakened.resolve(undefined)
      await app.stop(how)
      await ended
    },
  }
}

/** The app's time to stop; a bot drains for less. */
const PATIENCE_MS = 12_000

export interface App {
  readonly ended: Promise<AppEnd>
  /**
   * Ends the app and its child processes with SIGTERM, and kills them after the patience or once `hurried` resolves.
   */
  stop(o?: { hurried?: Promise<void>; patienceMs?: number }): Promise<void>
}

export interface AppEnd {
  /** As in a shell: 128 plus the signal's number if a signal ended the app. */
  readonly code: number
  readonly message: string
}

/** Starts the app. Each line of its stdout and stderr goes to `print`, for a line of a JSON log with its message. */
export function runApp(
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  print: (line: string, message?: string) => void,
): App {
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own group, signals reach an app behind npm or a shell, which do not always forward them.
    detached: HAS_GROUPS,
  })
  const outputs = [child.stdout, child.stderr]
  for (const input of outputs) createInterface({ input }).on('line', (line) => print(...readableLogLine(line)))

  const kill = () => signalGroup(child, 'SIGKILL')
  process.once('exit', kill)
  const ended = endOf(child, file, print)
  const allGone = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  return {
    ended,
    async stop({ hurried, patienceMs = PATIENCE_MS } = {}) {
      const noTime = Promise.withResolvers<void>()
      const timer = setTimeout(noTime.resolve, patienceMs)
      void hurried?.then(noTime.resolve)
      signalGroup(child, 'SIGTERM')
      await Promise.race([allGone, noTime.promise])
      clearTimeout(timer)
      kill()
      await ended
      process.off('exit', kill)
      // A process that left the group may hold these open, which would keep this process alive.
      for (const output of outputs) output.destroy()
    },
  }
}

function endOf(child: ChildProcess, file: string, print: (line: string) => void): Promise<AppEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      print(`${file} cannot be started: ${error.message}`)
      resolve({ code: 1, message: 'The app did not start.' })
    })
    child.once('exit', (code, signal) => {
      if (signal === null) resolve({ code: code ?? 1, message: `The app ended with ${code}.` })
      else resolve({ code: 128 + constants.signals[signal], message: `The app was ended by ${signal}.` })
    })
  })
}

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' }

/** A line of a JSON log as people read it, with its message; any other line unchanged. */
function readableLogLine(line: string): [line: string, message?: string] {
  if (!line.startsWith('{')) return [line]
  try {
    const {
      level,
      msg,
      time: _time,
      pid: _pid,
      hostname: _host,
      name: _name,
      err,
      ...about
    } = JSON.parse(line) as Record<string, unknown>
    if (typeof msg !== 'string') return [line]
    const details = Object.entries(about).map(([key, value]) => `${key}=${short(value)}`)
    const text = [LEVELS[Number(level)] ?? '', msg, ...details].filter((part) => part !== '').join('  ')
    return [escaped(err === undefined ? text : `${text}\n${errorText(err)}`), msg]
  } catch {
    return [line]
  }
}

/** The stack of a logged error, a line for each frame. The log contains it once for each error. */
function errorText(err: unknown): string {
  const { stack, name, message } = Object(err) as { stack?: unknown; name?: unknown; message?: unknown }
  if (typeof stack === 'string') return stack
  return typeof message === 'string' ? `${String(name)}: ${message}` : short(err)
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
