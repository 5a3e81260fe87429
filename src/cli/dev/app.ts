import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Runs the app beside the emulator, with its environment set; its lines come through one by one. */
export function runApp(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  tell: (line: string) => void,
): { readonly ended: Promise<number>; stop(): void } {
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) readLines(stream, tell)
  return { ended: endOf(child, file, tell), stop: () => child.kill('SIGTERM') }
}

function readLines(stream: Readable, tell: (line: string) => void): void {
  createInterface({ input: stream }).on('line', (line) => tell(readable(line)))
}

function endOf(child: ChildProcess, file: string, tell: (line: string) => void): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      tell(`${file} cannot be started: ${error.message}`)
      resolve(1)
    })
    child.once('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 0)))
  })
}

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' }

/** A line of a JSON log as a person reads it; every other line as it is. */
function readable(line: string): string {
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
