import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import { endGroupWithParent, HAS_GROUPS, isGroupAlive, signalGroup } from '../support/process-group.ts'

/** A bot drains for 10 s; this is more. */
const PATIENCE_MS = 12_000

export interface App {
  /** Resolves when the app has ended. */
  readonly ended: Promise<AppEnd>
  /** Tells the app, and all that it started, to end; kills what has not ended in time, or when there is no time. */
  stop(o?: { hurried?: Promise<void>; patienceMs?: number }): Promise<void>
}

export interface AppEnd {
  /** For the shell: 128 and the signal's number, where a signal ended it. */
  readonly code: number
  readonly words: string
}

/** Runs the app beside the emulator, with its environment set; its lines come through one by one. */
export function runApp(command: readonly string[], environment: NodeJS.ProcessEnv, tell: (line: string) => void): App {
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that a signal reaches the app behind npm and a shell too: they do not always pass it on.
    detached: HAS_GROUPS,
  })
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => tell(readableLogLine(line)))

  const kill = () => signalGroup(child, 'SIGKILL')
  process.once('exit', kill)
  const guard = endGroupWithParent(child, PATIENCE_MS)
  const ended = endOf(child, file, tell)
  const allGone = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  // From then on the group's number may be another's, unless it has left somebody behind.
  void allGone.then(() => {
    if (!isGroupAlive(child)) guard[Symbol.dispose]()
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
      guard[Symbol.dispose]()
      // What left the group may still hold these, and would hold this process too.
      child.stdout.destroy()
      child.stderr.destroy()
    },
  }
}

function endOf(child: ChildProcess, file: string, tell: (line: string) => void): Promise<AppEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      tell(`${file} cannot be started: ${error.message}`)
      resolve({ code: 1, words: 'The app did not start.' })
    })
    child.once('exit', (code, signal) => {
      if (signal === null) resolve({ code: code ?? 1, words: `The app ended with ${code}.` })
      else resolve({ code: 128 + constants.signals[signal], words: `The app was ended by ${signal}.` })
    })
  })
}

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' }

/** A line of a JSON log as a person reads it; every other line as it is. */
export function readableLogLine(line: string): string {
  if (!line.startsWith('{')) return line
  try {
    const {
      level,
      msg,
      time: _time,
      pid: _pid,
      hostname: _host,
      name: _name,
      ...about
    } = JSON.parse(line) as Record<string, unknown>
    if (typeof msg !== 'string') return line
    const details = Object.entries(about).map(([key, value]) => `${key}=${short(value)}`)
    return [LEVELS[Number(level)] ?? '', msg, ...details].filter((part) => part !== '').join('  ')
  } catch {
    return line
  }
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
