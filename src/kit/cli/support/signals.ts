import type { ChildProcess } from 'node:child_process'
import { EXIT } from './exit.ts'
import type { Io } from './io.ts'

/**
 * A terminal signals npm and its child, and npm signals the child again: a repeat within this time is the same signal.
 */
const SAME_SIGNAL_MS = 300

/** SIGHUP, sent when the terminal closes, ends the process as SIGTERM does. */
const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.done, SIGHUP: EXIT.done } as const

export interface Signals extends Disposable {
  readonly stopped: Promise<number>
  /** Resolves at the second signal, which means: at once. */
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
  // The reader of stderr has gone. The listener stays, because a last line may be written after the end.
  stderr.on('error', () => stopped.resolve(EXIT.done))
  return {
    stopped: stopped.promise,
    hurryRequested: hurry.promise,
    [Symbol.dispose]() {
      // The exit code is decided here: a further signal ends the process at once with this code.
      onSignals(process, () => process.exit())
      listener[Symbol.dispose]()
    },
  }
}

const PARENT_CHECK_MS = 250

/**
 * Calls `handle` at each signal that would end the process, in place of the end, until it is disposed of. npm passes a
 * signal to its shell alone, which ends and leaves this process behind: that counts as the signal.
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

/** True if a process that is spawned `detached` leads a process group, to which its own children belong too. */
export const HAS_GROUPS = process.platform !== 'win32'

export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(HAS_GROUPS ? -pid : pid, signal)
  } catch {
    // Ignore the error: no process of the group is left.
  }
}
