import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { run as runProgram } from '../../../src/kit/cli/program.ts'
import { exitOnBrokenPipe } from '../../../src/kit/cli/support/io.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const main = fileURLToPath(new URL('../../../src/kit/cli/main.ts', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Streams {
  /** Stdin's whole content; without it stdin is a pipe that nobody ends, so that a command that asks waits for ever. */
  readonly stdin?: string
  /** Nobody reads stdout any more: each write fails with EPIPE. */
  readonly brokenPipe?: boolean
}

/**
 * Runs a command inside the test's process, with its own streams and environment: what a process does, without
 * its start. The working directory is the process's, so commands that run at the same time share it.
 */
export async function switchhook(
  args: readonly string[],
  environment: Record<string, string> = {},
  cwd: string = root,
  { stdin, brokenPipe = false }: Streams = {},
): Promise<Ended> {
  const input = new PassThrough()
  if (stdin !== undefined) input.end(stdin)
  const [stdout, stderr] = [keeping(brokenPipe), keeping(false)]
  const exited = Promise.withResolvers<number>()
  exitOnBrokenPipe({ stdout: stdout.stream, stderr: stderr.stream, exit: exited.resolve })
  using _folder = enter(cwd)
  const env = { ...inherited(), ...environment }
  const ran = runProgram('0.0.0', args, { env, stdin: input, stdout: stdout.stream, stderr: stderr.stream })
  const code = await Promise.race([ran, exited.promise])
  // A process would have ended now; here nothing may continue unnoticed.
  await ran
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function keeping(isBroken: boolean) {
  let text = ''
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: Buffer | string, _encoding, done) {
      if (isBroken) stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
      else text += chunk.toString()
      done()
    },
  })
  return { stream, text: () => text }
}

const home = process.cwd()
const inside = { cwd: home, commands: 0 }

function enter(cwd: string): Disposable {
  if (inside.commands > 0 && inside.cwd !== cwd)
    throw new Error(`a command runs in ${inside.cwd}, so none can run in ${cwd} at the same time`)
  inside.cwd = cwd
  inside.commands++
  process.chdir(cwd)
  return {
    [Symbol.dispose]() {
      inside.commands--
      if (inside.commands === 0) process.chdir(home)
    },
  }
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

/** A Node that runs the sources directly. */
export const NODE = [process.execPath, '--conditions=switchhook-source'] as const

/** A command for a shell: each word is quoted, because the folder of a checkout may have a space in its path. */
export function shellLine(...words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')
}

export interface Running {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves with the first line that stands on stdout or stderr. */
  line(from: 'stdout' | 'stderr'): Promise<string>
  /** Resolves with what stands on stdout or stderr when that matches. */
  heard(from: 'stdout' | 'stderr', what: RegExp): Promise<string>
  /** Resolves when the process has ended. */
  readonly ended: Promise<Ended>
  [Symbol.asyncDispose](): Promise<void>
}

/** The command line as a real process, from the sources: for signals, pipes, terminals and what a command loads. */
export function startSwitchhook(
  args: readonly string[],
  environment: Record<string, string> = {},
  cwd?: string,
): Running {
  // Whatever listens on the default port of apps must not matter.
  return run(process.execPath, ['--conditions=switchhook-source', main, ...args], { PORT: '0', ...environment }, cwd)
}

export function run(
  command: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  cwd: string = root,
): Running {
  const child = spawn(command, args, { cwd, env: { ...CACHE, ...inherited(), ...TERMINAL, ...environment } })
  const text = { stdout: '', stderr: '' }
  for (const from of ['stdout', 'stderr'] as const)
    child[from].setEncoding('utf8').on('data', (chunk: string) => {
      text[from] += chunk
    })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...text }))
  const heard = async (from: 'stdout' | 'stderr', what: RegExp) => {
    while (!what.test(text[from])) {
      const over = await Promise.race([ended, once(child[from], 'data')])
      if (!Array.isArray(over) && !what.test(text[from]))
        throw new Error(`the process ended with ${over.code} before ${what} stood on ${from}: ${over.stderr}`)
    }
    return text[from]
  }
  return {
    child,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    line: async (from) => (await heard(from, /\n/)).split('\n', 1)[0] ?? '',
    heard,
    ended,
    async [Symbol.asyncDispose]() {
      // SIGTERM, because a killed `dev` leaves its app behind.
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_END_MS)
      await ended
      clearTimeout(timer)
    },
  }
}

/** What a command printed as JSON, a value a line. */
export function jsonLines(stdout: string): Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
