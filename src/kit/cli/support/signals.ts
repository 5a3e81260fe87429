import type { ChildProcess } from 'node:child_process'
import { EXIT } from './exit.ts'
import type { Io } from './io.ts'

/** One Ctrl-C may arrive twice: from the terminal, and from npm. Signals within this time count as one. */
const SAME_SIGNAL_MS = 300

/** SIGHUP is sent when the terminal closes. */
const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.done, SIGHUP: EXIT.done } as const

export interface Signals extends Disposable {
  readonly stopped: Promise<number>
  /** Resolves at a second signal. */
  readonly hurryRequested: Promise<void>
}

export function listenForSignals({ process, stderr }: Io): Signals {
  const stopped = Promise.withResolvers<number>()
  const hurry = Promise.withResolvers<void>()
  let first: number | undefined
  const stop = (code: number) => {
    first ??= performance.now()
    stopped.resolve(code)
    if (performance.now() - first > SAME_SIGNAL_MS) hurry.resolve()
  }
  const listener = onSignals(process, (signal) => stop(CODES[signal]))
  // stderr was closed by its reader. The listener stays, because a last line may still be written.
  stderr.on('error', () => stopped.resolve(EXIT.done))
  return {
    stopped: stopped.promise,
    hurryRequested: hurry.promise,
    [Symbol.dispose]() {
      // From now on a further signal ends the process at once, with the exit code that is set.
      onSignals(process, () => process.exit())
      listener[Symbol.dispose]()
    },
  }
}

const PARENT_CHECK_MS = 250

/**
 * Until the result is disposed of, signals call `handle` and do not end the process. npm may signal only the shell that
 * started this process. When the shell ends, this process gets another parent, and that counts as a SIGTERM.
 */
export function onSignals(process: Io['process'], handle: (signal: keyof typeof CODES) => void): Disposable {
  const names = Object.keys(CODES) as (keyof typeof CODES)[]
  for (const name of names) process.on(name, handle)
  const parent = process.ppid
  const isUnderNpm = process.env['npm_lifecycle_event'] !== undefined
  const check = setInterval(() => {
    if (!isUnderNpm || process.ppid === parent) return
    clearInterval(check)
    handle('SIGTERM')
  }, PARENT_CHECK_MS).unref()
  return {
    [Symbol.dispose]() {
      clearInterval(check)
      for (const name of names) process.off(name, handle)
    },
  }
}

/** True if a process that is spawned as `detached` has a process group, with its children in it. */
export const HAS_GROUPS = process.platform !== 'win32'

export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(HAS_GROUPS ? -pid : pid, signal)
  } catch {
    // No process of the group is left.
  }
}
