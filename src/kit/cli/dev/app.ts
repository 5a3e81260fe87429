import { reasonOf } from '../../../base/errors.ts'
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import { escaped, type Io } from '../support/io.ts'
import { HAS_GROUPS, signalGroup, type Signals } from '../support/signals.ts'

export async function runBesideApp(
  io: Io,
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  signals: Signals,
): Promise<number> {
  const running = runApp(io, command, environment, (line) => io.err(line.replaceAll(/^/gm, '  | ')))
  try {
    const end = await Promise.race([signals.stopped, running.ended])
    if (typeof end === 'number') return end
    io.err(end.message)
    return end.code
  } finally {
    const patience = setTimeout(() => io.err('The app is still running. Press Ctrl-C to kill it.'), 1_000)
    void signals.hurryRequested.then(() => io.err('Killing the app.'))
    await running.stop(signals)
    clearTimeout(patience)
  }
}

/** The longest wait for the app to stop. A bot needs less time. */
const PATIENCE_MS = 12_000

interface StopOptions {
  readonly hurryRequested?: Promise<void>
  readonly patienceMs?: number
}

interface AppEnd {
  /** As in a shell: 128 plus the signal's number if a signal ended the app. */
  readonly code: number
  readonly message: string
}

/** Starts the app. Each line of its stdout and stderr goes to `print`. */
export function runApp(
  { process }: Pick<Io, 'process'>,
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  print: (line: string) => void,
) {
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    cwd: process.cwd(),
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // The app gets its own process group, so that signals reach it even if npm or a shell does not forward them.
    detached: HAS_GROUPS,
  })
  const outputs = [child.stdout, child.stderr]
  for (const input of outputs) createInterface({ input }).on('line', (line) => print(readableLogLine(line)))

  const kill = () => signalGroup(child, 'SIGKILL')
  process.on('exit', kill)
  const ended = endOf(child, file, print)
  const allGone = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  return {
    ended,
    /** Ends the app and its children with SIGTERM. Kills them after `patienceMs`, or when `hurryRequested` resolves. */
    async stop({ hurryRequested, patienceMs = PATIENCE_MS }: StopOptions = {}): Promise<void> {
      const noTime = Promise.withResolvers<void>()
      const timer = setTimeout(noTime.resolve, patienceMs)
      void hurryRequested?.then(noTime.resolve)
      signalGroup(child, 'SIGTERM')
      await Promise.race([allGone, noTime.promise])
      clearTimeout(timer)
      kill()
      await ended
      process.off('exit', kill)
      // A process that left the group may keep the outputs open, and then this process would not end.
      for (const output of outputs) output.destroy()
    },
  }
}

export function endOf(child: ChildProcess, file: string, print: (line: string) => void): Promise<AppEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      print(`${file} cannot be started: ${reasonOf(error)}`)
      resolve({ code: 1, message: 'The app did not start.' })
    })
    child.once('exit', (code, signal) => {
      if (signal === null) resolve({ code: code ?? 1, message: `The app ended with ${code}.` })
      else resolve({ code: 128 + constants.signals[signal], message: `The app was terminated by ${signal}.` })
    })
  })
}

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' }

function readableLogLine(line: string): string {
  if (!line.startsWith('{')) return line
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
    if (typeof msg !== 'string') return line
    const details = Object.entries(about).map(([key, value]) => `${key}=${short(value)}`)
    const text = [LEVELS[Number(level)] ?? '', msg, ...details].filter((part) => part !== '').join('  ')
    const error = err === undefined ? '' : errorText(err)
    return escaped(error === '' ? text : `${text}\n${error}`)
  } catch {
    return line
  }
}

/** `err` has no stack if the app has logged the same error before. */
function errorText(err: unknown): string {
  const { stack, name, message } = Object(err) as { stack?: unknown; name?: unknown; message?: unknown }
  if (typeof stack === 'string') return stack
  return typeof message === 'string' ? `${String(name)}: ${message}` : short(err)
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
