import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { reasonOf } from '../../../base/errors.ts'
import { escaped } from '../support/io.ts'
import { HAS_GROUPS, signalGroup, type Signals } from '../support/signals.ts'

const WIRE_MESSAGES: readonly unknown[] = ['started', 'stopped', 'send accepted']

interface AppToRun {
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
    if (!WIRE_MESSAGES.includes(message) || showsWire()) print(line.replaceAll(/^/gm, '  | '))
  }
  const start = () => {
    const app = runApp(command, environment, printLine)
    started()
    return app
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
    const patience = setTimeout(() => print('The app is still running. Press Ctrl-C to kill it.'), 1_000)
    void signals.hurryRequested.then(() => print('Killing the app.'))
    await app.stop(signals)
    clearTimeout(patience)
  }
}

export interface KeepRunningOptions {
  readonly start: () => App
  readonly print: (line: string) => void
  /**
   * When to restart an app that has ended. `once_changed`: at the next change, if it was restarted before, because then
   * somebody is working on it.
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
  let wakeUp = Promise.withResolvers<string | undefined>()
  let app = start()
  let isStopping = false

  const runAll = async (): Promise<AppEnd> => {
    for (let starts = 1; ; starts++) {
      const end = await Promise.race([app.ended, wakeUp.promise.then(() => undefined)])
      if (end !== undefined) {
        // An app that crashed would crash again; only a change can fix it.
        if (restartAfterExit === 'never' || (restartAfterExit === 'once_changed' && starts === 1)) return end
        print(`${end.message} It starts again when a file changes.`)
      }
      const file = await wakeUp.promise
      if (file !== undefined) {
        print(`${file} changed. Restarting the app.`)
        await app.stop()
      }
      if (isStopping) return await app.ended
      wakeUp = Promise.withResolvers()
      app = start()
    }
  }
  const ended = runAll()

  return {
    ended,
    changed: (file) => wakeUp.resolve(file),
    async stop(how) {
      isStopping = true
      wakeUp.resolve(undefined)
      await app.stop(how)
      await ended
    },
  }
}

/** The app's time to stop; a bot drains for less. */
const PATIENCE_MS = 12_000

interface App {
  readonly ended: Promise<AppEnd>
  /** Ends the app and its child processes with SIGTERM. Kills them after `patienceMs` or once `hurryRequested` resolves. */
  stop(o?: { hurryRequested?: Promise<void>; patienceMs?: number }): Promise<void>
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
    async stop({ hurryRequested, patienceMs = PATIENCE_MS } = {}) {
      const noTime = Promise.withResolvers<void>()
      const timer = setTimeout(noTime.resolve, patienceMs)
      void hurryRequested?.then(noTime.resolve)
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
      else resolve({ code: 128 + constants.signals[signal], message: `The app was terminated by ${signal}.` })
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
    const error = err === undefined ? '' : errorText(err)
    return [escaped(error === '' ? text : `${text}\n${error}`), msg]
  } catch {
    return [line]
  }
}

/** The stack of a logged error, a line for each frame. It is empty if the error was logged before. */
function errorText(err: unknown): string {
  const { stack, name, message } = Object(err) as { stack?: unknown; name?: unknown; message?: unknown }
  if (typeof stack === 'string') return stack
  return typeof message === 'string' ? `${String(name)}: ${message}` : short(err)
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** Never watched: installed packages, files that the app writes while it runs, and type declarations. */
const NOISE =
  /(?:^|\/)(?:node_modules|\.git|\.switchhook|coverage)(?:\/|$)|\.(?:db|sqlite)\d?(?:-\w+|\.[^/]*)?$|\.d\.[cm]?ts$/

/** Files that an app can be made of. Data files do not count, because the app's own writes would restart it. */
const CODE = /\.[cm]?[jt]sx?$/

const TESTS = /(?:^|\/)(?:tests?|__tests__)\/|\.(?:test|spec)\.\w+$/

const SETTINGS = /^(?:\.env[^/]*|package\.json)$/

/** Saving a file often causes several changes; those within this time count as one. */
const SETTLED_MS = 100

const FILE_EVENTS: ReadonlySet<string> = new Set(['add', 'change', 'unlink'])

interface WatchCallbacks {
  readonly changed: (file: string) => void
  /** Called once if watching fails, with the reason. */
  readonly print: (line: string) => void
}

/**
 * Watches the code in the working directory, or only these files and folders in it. Resolves once the watcher is ready,
 * so that later changes are not missed.
 */
export async function watchFiles(
  paths: readonly string[],
  { changed, print }: WatchCallbacks,
): Promise<AsyncDisposable> {
  const named = paths.map((path) => slashed(relative('.', path)))
  const isNamed = (file: string) => named.some((path) => path === '' || file === path || file.startsWith(`${path}/`))
  const isWanted = named.length > 0 ? isNamed : isSource
  const { watch } = await import('chokidar')
  // The watcher looks for a removed root in the folder above it. Above `.` it finds `.`, and looks again without a pause.
  const watcher = watch(resolve('.'), {
    ignored: (file) => NOISE.test(slashed(relative('.', file))),
    ignoreInitial: true,
  })
  let timer: NodeJS.Timeout | undefined
  let latest: string | undefined
  const settled = () => {
    if (latest !== undefined) changed(latest)
    latest = undefined
  }
  watcher.on('all', (what, path) => {
    const file = slashed(relative('.', path))
    if (!FILE_EVENTS.has(what) || !isWanted(file)) return
    latest = file
    clearTimeout(timer)
    timer = setTimeout(settled, SETTLED_MS)
  })
  const { promise: watches, resolve: ready } = Promise.withResolvers<void>()
  watcher.once('ready', ready)
  watcher.once('error', (error) => {
    print(`File changes are no longer detected, so restart the app manually: ${reasonOf(error)}`)
    ready()
  })
  watcher.on('error', () => {})
  await watches
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await watcher.close()
    },
  }
}

function isSource(file: string): boolean {
  return SETTINGS.test(file) || (CODE.test(file) && !TESTS.test(file))
}

/** A path with slashes on every system, and without a leading `./`. */
function slashed(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(\.\/)+/, '')
}
