/** The contenders as processes of their own, and a folder for their files: both end with the bench. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Contender {
  readonly child: ChildProcess
  readonly port: number
  sent: number
}

export interface Figures {
  /** Deliveries that a receiver has handled. */
  readonly handled: number
  /** What a service has still to do later. */
  readonly due: number
  readonly cpu: NodeJS.CpuUsage
}

const folder = mkdtempSync(join(tmpdir(), 'switchhook-bench-'))
const children: ChildProcess[] = []

// However the bench ends: done, failed, told to, or with nobody left to read it.
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(128 + constants.signals[signal]))
process.stdout.on('error', () => process.exit(128 + constants.signals.SIGPIPE))

export async function launch(name: string, secret: string, server = 'server.ts'): Promise<Contender> {
  const child = fork(join(import.meta.dirname, server), [name, secret, join(folder, `${name}.db`)], {
    execArgv: ['--conditions=switchhook-source'],
  })
  children.push(child)
  const { port } = await answer<{ port: number }>(child)
  return { child, port, sent: 0 }
}

export function ask({ child }: Contender): Promise<Figures> {
  const answered = answer<Figures>(child)
  child.send('figures')
  return answered
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
