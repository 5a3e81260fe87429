import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** What was read once need not be read again: a process starts in half the time. */
const CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), 'switchhook-compile-cache') }

/** Colours are decided by the test alone, not by where the tests run: a CI often has no TERM. */
const TERMINAL = { TERM: 'xterm-256color' }
const NOT_INHERITED = /^(SWITCHHOOK_.*|CI|NO_COLOR|FORCE_COLOR|NODE_DISABLE_COLORS|COLORTERM)$/

export interface Running {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves with the first line that stands on stdout or stderr. */
  line(from: 'stdout' | 'stderr'): Promise<string>
  /** Resolves with what stands on stdout or stderr when that matches. */
  heard(from: 'stdout' | 'stderr', what: RegExp): Promise<string>
  /** Resolves when the process has ended. */
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>
  [Symbol.asyncDispose](): Promise<void>
}

/** The command line as a real process, from the sources. */
export function switchhook(args: readonly string[], environment: Record<string, string> = {}, cwd?: string): Running {
  return run(process.execPath, ['--conditions=switchhook-source', main, ...args], environment, cwd)
}

export function run(
  command: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  cwd: string = root,
): Running {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name)))
  const child = spawn(command, args, { cwd, env: { ...CACHE, ...inherited, ...TERMINAL, ...environment } })
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
      child.kill('SIGKILL')
      await ended
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
