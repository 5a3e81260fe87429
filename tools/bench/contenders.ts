/** Each contender in its own process, and a folder for their files. Both end with the bench. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figures, Question } from './serve.ts'

export interface Contender {
  readonly name: string
  readonly child: ChildProcess
  readonly port: number
  /** The file of its database, if it has one. */
  readonly database: string
  /** Deliveries that it has acknowledged. */
  sent: number
}

export const SECRET = 'bench-secret-of-some-length'

const folder = mkdtempSync(join(tmpdir(), 'switchhook-bench-'))
const children = new Set<ChildProcess>()

// However the bench ends: done, failed, told to, or with nobody left to read it.
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(128 + constants.signals[signal]))
process.stdout.on('error', () => process.exit(128 + constants.signals.SIGPIPE))

export interface Start {
  /** The file that serves it; it makes the contender of the given name. */
  readonly server?: string
  /** The address of the service that its replies go to. */
  readonly service?: string
  readonly database?: string
}

export async function launch(name: string, start: Start = {}): Promise<Contender> {
  const { server = 'servers/receivers.ts', service = '', database = fileOf(name) } = start
  const child = fork(join(import.meta.dirname, server), [name, SECRET, database, service], {
    execArgv: ['--conditions=switchhook-source', '--expose-gc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  children.add(child)
  const { port } = await answer<{ port: number }>(child)
  return { name, child, port, database, sent: 0 }
}

/** A path in the bench's folder, which goes with the bench. */
export function fileOf(name: string): string {
  return join(folder, `${name}.db`)
}

export function ask({ child }: Contender, question: Question = { ask: 'figures' }): Promise<Figures> {
  const answered = answer<Figures>(child)
  child.send(question)
  return answered
}

/** Ends a contender in order, so that its file can be read whole. */
export async function end({ child }: Contender): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.send({ ask: 'end' } satisfies Question)
  await gone
  children.delete(child)
}

function answer<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a contender ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message as T)
    })
  })
}
