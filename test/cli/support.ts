import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

export interface Running {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves with the first line that stands on stdout or stderr. */
  line(from: 'stdout' | 'stderr'): Promise<string>
  /** Resolves when the process has ended. */
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>
  [Symbol.asyncDispose](): Promise<void>
}

/** The command line as a real process, from the sources. */
export function switchhook(args: readonly string[], environment: Record<string, string> = {}): Running {
  return run(process.execPath, ['--conditions=switchhook-source', main, ...args], environment)
}

export function run(command: string, args: readonly string[], environment: Record<string, string> = {}): Running {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SWITCHHOOK_'))
  const child = spawn(command, args, { cwd: root, env: { ...Object.fromEntries(inherited), ...environment } })
  const text = { stdout: '', stderr: '' }
  for (const from of ['stdout', 'stderr'] as const)
    child[from].setEncoding('utf8').on('data', (chunk: string) => {
      text[from] += chunk
    })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...text }))
  return {
    child,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    async line(from) {
      while (!text[from].includes('\n')) {
        const over = await Promise.race([ended, once(child[from], 'data')])
        if (!Array.isArray(over) && !text[from].includes('\n'))
          throw new Error(`the process ended with ${over.code} before a line stood on ${from}: ${over.stderr}`)
      }
      return text[from].slice(0, text[from].indexOf('\n'))
    },
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
