import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { run as runProgram } from '../../../src/kit/cli/program.ts'
import { exitOnBrokenPipe } from '../../../src/kit/cli/support/io.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
export const MAIN = fileURLToPath(new URL('../../../src/kit/cli/main.ts', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Streams {
  /** Stdin's whole content; without it stdin is a pipe that nobody ends, so that a command that asks waits for ever. */
  readonly stdin?: string
  /** Stdin and stderr are a terminal. */
  readonly terminal?: boolean
}

/**
 * Runs a command inside the test's process, with its own folder, streams, environment and signals: what a process does,
 * without its start.
 */
export function switchhook(
  args: readonly string[],
  environment: Record<string, string> = {},
  cwd: string = root,
  streams: Streams = {},
): Promise<Ended> {
  return startSwitchhook(args, environment, cwd, streams).ended
}

/** Starts a command inside the test's process. */
export function startSwitchhook(
  args: readonly string[],
  environment: Record<string, string> = {},
  cwd: string = root,
  { stdin, terminal = false }: Streams = {},
): Running {
  const input = Object.assign(new PassThrough(), { isTTY: terminal })
  if (stdin !== undefined) input.end(stdin)
  const streams = { stdout: keeping(false), stderr: keeping(terminal) }
  const [stdout, stderr] = [streams.stdout.stream, streams.stderr.stream]
  const exited = Promise.withResolvers<number>()
  const signals = new EventEmitter()
  const own = Object.assign(signals, {
    // Whatever listens on the default port of apps must not matter.
    env: { ...inherited(), PORT: '0', ...environment },
    stdin: input,
    stdout,
    stderr,
    cwd: () => cwd,
    exit: (code = 0) => exited.resolve(code),
  })
  exitOnBrokenPipe(own)
  const text = (from: 'stdout' | 'stderr') => streams[from].text()
  const ended = run()
  async function run(): Promise<Ended> {
    const ran = runProgram('0.0.0', args, own)
    const code = await Promise.race([ran, exited.promise])
    // A process would have ended now; here nothing may continue unnoticed.
    await ran
    own.emit('exit', code)
    return { code, stdout: text('stdout'), stderr: text('stderr') }
  }
  return {
    kill: (signal) => void own.emit(signal, signal),
    type: (keys) => void input.write(keys),
    ...listening(text, (from) => once(streams[from].stream, 'written'), ended),
    async [Symbol.asyncDispose]() {
      own.emit('SIGTERM', 'SIGTERM')
      await ended
    },
  }
}

function keeping(isTTY: boolean) {
  let text = ''
  const writable = new Writable({
    decodeStrings: false,
    write(chunk: Buffer | string, _encoding, done) {
      text += chunk.toString()
      stream.emit('written')
      done()
    },
  })
  const stream = Object.assign(writable, { isTTY })
  return { stream, text: () => text }
}

/** What was read once need not be read again: a process starts in half the time. */
const CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), 'switchhook-compile-cache') }

/** Colours are decided by the test alone, not by where the tests run: a CI often has no TERM. */
const TERMINAL = { TERM: 'xterm-256color' }
const NOT_INHERITED = /^(SWITCHHOOK_.*|CI|NO_COLOR|FORCE_COLOR|NODE_DISABLE_COLORS|COLORTERM)$/

function inherited(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name)))
}

const LONGEST_END_MS = 15_000

export interface Running {
  kill(signal: NodeJS.Signals): void
  type(keys: string): void
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves with the first line that stands on stdout or stderr. */
  line(from: 'stdout' | 'stderr'): Promise<string>
  /** Resolves with what stands on stdout or stderr when that matches. */
  heard(from: 'stdout' | 'stderr', what: RegExp): Promise<string>
  /** Resolves when the command has ended. */
  readonly ended: Promise<Ended>
  [Symbol.asyncDispose](): Promise<void>
}

/** The command line as a real process, from the sources: for pipes, terminals and what a command loads. */
export function spawnSwitchhook(args: readonly string[], environment: Record<string, string> = {}, cwd?: string) {
  return run(process.execPath, ['--conditions=switchhook-source', MAIN, ...args], { PORT: '0', ...environment }, cwd)
}

export function run(
  command: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  cwd: string = root,
): Running & { readonly child: ChildProcess } {
  const child = spawn(command, args, { cwd, env: { ...CACHE, ...inherited(), ...TERMINAL, ...environment } })
  const text = { stdout: '', stderr: '' }
  for (const from of ['stdout', 'stderr'] as const)
    child[from].setEncoding('utf8').on('data', (chunk: string) => {
      text[from] += chunk
    })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...text }))
  return {
    child,
    kill: (signal) => void child.kill(signal),
    type: (keys) => void child.stdin.write(keys),
    ...listening(
      (from) => text[from],
      (from) => once(child[from], 'data'),
      ended,
    ),
    async [Symbol.asyncDispose]() {
      // SIGTERM, because a killed `dev` leaves its app behind.
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_END_MS)
      await ended
      clearTimeout(timer)
    },
  }
}

function listening(
  text: (from: 'stdout' | 'stderr') => string,
  next: (from: 'stdout' | 'stderr') => Promise<unknown[]>,
  ended: Promise<Ended>,
) {
  const heard = async (from: 'stdout' | 'stderr', what: RegExp) => {
    while (!what.test(text(from))) {
      const over = await Promise.race([ended, next(from)])
      if (!Array.isArray(over) && !what.test(text(from)))
        throw new Error(`the command ended with ${over.code} before ${what} stood on ${from}: ${over.stderr}`)
    }
    return text(from)
  }
  return {
    stdout: () => text('stdout'),
    stderr: () => text('stderr'),
    line: async (from: 'stdout' | 'stderr') => (await heard(from, /\n/)).split('\n', 1)[0] ?? '',
    heard,
    ended,
  }
}

/** What a command printed as JSON, a value a line. */
export function jsonLines(stdout: string): Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
