/** The processes of the demo and a folder for what they write: both end with the demo, however that ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Troupe {
  readonly folder: string
  launch(args: readonly string[], environment?: Readonly<Record<string, string>>): ChildProcess
  close(): Promise<void>
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function openTroupe(): Troupe {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-demo-'))
  const children: ChildProcess[] = []
  const forget = endWithProcess(() => {
    for (const child of children) child.kill('SIGKILL')
    remove(folder)
  })
  return {
    folder,
    launch(args, environment = {}) {
      const child = spawn(process.execPath, ['--conditions=switchhook-source', ...args], {
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      children.push(child)
      return child
    },
    async close() {
      await Promise.all(children.map((child) => end(child, 'SIGTERM')))
      remove(folder)
      forget()
    },
  }
}

/** Signals and a broken pipe end the process by `exit`, which calls this first. */
function endWithProcess(run: () => void): () => void {
  const told = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal])
  const unheard = () => process.exit(128 + constants.signals.SIGPIPE)
  process.once('exit', run)
  for (const signal of SIGNALS) process.on(signal, told)
  process.stdout.on('error', unheard)
  return () => {
    process.off('exit', run)
    for (const signal of SIGNALS) process.off(signal, told)
  }
}

/** A process that is being killed may still write a last file. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

/** The first line on stdout that fulfils a condition. */
export function lineThat(child: ChildProcess, wanted: (line: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`a process of the demo ended with ${code} before it was ready`)))
    createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => {
      if (wanted(line)) resolve(line)
    })
  })
}

export function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}
