/** The receivers and workers, each a process that is brought back two seconds after its end, as a supervisor would. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { isUp, type Watched } from './gauges.ts'

export type Role = 'receiver' | 'worker'

export interface Kept extends Watched {
  readonly role: Role
  readonly environment: Readonly<Record<string, string>>
}

export interface Processes extends AsyncDisposable {
  /** Kills a process of that role, as a power cut would, and returns its name; undefined if no other one could continue. */
  kill(role: Role): Promise<string | undefined>
}

const BACK_AFTER_MS = 2_000

/** @param ended is called for each process that ended unexpectedly, with its last line. */
export function startProcesses(wanted: readonly Kept[], ended: (name: string, said: string) => void): Processes {
  const running = new Map<Kept, ChildProcess>()
  let closing = false

  const launch = (kept: Kept) => {
    if (closing) return
    const child = launched(kept)
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2_000)
    })
    running.set(kept, child)
    child.once('exit', () => {
      running.delete(kept)
      if (!closing && !child.killed) ended(kept.name, said)
      setTimeout(launch, BACK_AFTER_MS, kept).unref()
    })
  }
  const abandon = () => {
    for (const child of running.values()) child.kill('SIGKILL')
  }
  process.once('exit', abandon)
  for (const kept of wanted) launch(kept)

  return {
    async kill(role) {
      const alike = wanted.filter((kept) => kept.role === role)
      const up = await Promise.all(alike.map(isUp))
      const [victim, ...others] = alike.filter((_, at) => up[at])
      if (!victim || others.length === 0) return undefined
      running.get(victim)?.kill('SIGKILL')
      return victim.name
    },
    async [Symbol.asyncDispose]() {
      closing = true
      const ends = [...running.values()].map((child) => once(child, 'exit'))
      // The database goes with them, so nothing is worth an orderly stop.
      abandon()
      await Promise.all(ends)
      process.off('exit', abandon)
    },
  }
}

function launched({ role, environment }: Kept): ChildProcess {
  const file = resolve(import.meta.dirname, `../${role}.ts`)
  return spawn(process.execPath, ['--conditions=switchhook-source', file], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
    // In its own group, where a terminal's Ctrl+C does not reach it.
    detached: true,
  })
}
