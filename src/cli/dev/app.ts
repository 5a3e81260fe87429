import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import { HAS_GROUPS, signalGroup } from '../support/signals.ts'

/** The app's time to stop; a bot drains for less. */
const PATIENCE_MS = 12_000

/**
 * Programs that get a channel to this process. Any other may start Node with the variable that names the channel and
 * without the channel, as a process manager does that closes what it does not know; such a Node crashes.
 */
const HAS_CHANNEL = /(?:^|[\\/])(?:node|tsx)(?:\.exe|\.cmd)?$/

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

/**
 * Starts the app. Each line of its stdout and stderr goes to `print`, for a line of a JSON log with its message; what its
 * process tells its parent goes to `heard`.
 */
export function runApp(
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  print: (line: string, message?: string) => void,
  heard: (message: unknown) => void = () => {},
): App {
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', ...(HAS_CHANNEL.test(file) ? (['ipc'] as const) : [])],
    // In a group of its own, signals reach an app behind npm or a shell, which do not always forward them.
    detached: HAS_GROUPS,
  })
  const outputs = [child.stdout, child.stderr].filter((output) => output !== null)
  for (const input of outputs) createInterface({ input }).on('line', (line) => print(...readableLogLine(line)))

  child.on('message', heard)
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
      if (child.connected) child.disconnect()
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

/** A line of a JSON log as people read it, an error's stack below it, with its message; any other line as it is. */
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
    return [err === undefined ? text : `${text}\n${stackIn(err)}`, msg]
  } catch {
    return [line]
  }
}

/** The stack of a logged error, if it has one: a line for each frame. */
function stackIn(err: unknown): string {
  const { stack } = Object(err) as { stack?: unknown }
  return typeof stack === 'string' ? stack : short(err)
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
