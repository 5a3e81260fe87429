import { EXIT } from './exit.ts'

/** A terminal tells npm and its child, and npm tells the child once more: what follows at once is the same signal. */
const SAME_SIGNAL_MS = 300

/** A terminal that went away (SIGHUP) ends the process in the same order as SIGTERM. */
const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.done, SIGHUP: EXIT.done } as const

export interface Signals extends Disposable {
  /** Resolves with the exit code when the process is told to stop. */
  readonly stopped: Promise<number>
  /** Resolves when it is told once more: now. */
  readonly hurried: Promise<void>
  /** Tells it to stop, as Ctrl-C does. */
  interrupt(): void
  /** Tells it to stop since nobody needs it any more. */
  end(): void
}

export function listenForSignals(): Signals {
  const stopped = Promise.withResolvers<number>()
  const hurried = Promise.withResolvers<void>()
  let first: number | undefined
  const stop = (code: number) => {
    first ??= performance.now()
    stopped.resolve(code)
    if (performance.now() - first > SAME_SIGNAL_MS) hurried.resolve()
  }
  const heard = (signal: NodeJS.Signals) => stop(CODES[signal as keyof typeof CODES])
  const names = Object.keys(CODES) as (keyof typeof CODES)[]
  for (const name of names) process.on(name, heard)
  // Who read along has gone. It stays: after the end there may be last words, and nobody to read them.
  process.stderr.on('error', () => stopped.resolve(EXIT.done))
  return {
    stopped: stopped.promise,
    hurried: hurried.promise,
    interrupt: () => stop(EXIT.interrupted),
    end: () => stop(EXIT.done),
    [Symbol.dispose]() {
      // All is brought to its end, and the code is known: who is told once more leaves at once, and not by the signal.
      for (const name of names) process.on(name, () => process.exit())
      for (const name of names) process.off(name, heard)
    },
  }
}
