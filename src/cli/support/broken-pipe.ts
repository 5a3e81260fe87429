import type { Writable } from 'node:stream'

interface Process {
  readonly stdout: Writable
  readonly stderr: Writable
  exit(code: number): void
}

let stop: (() => void) | undefined

/**
 * Ends the process with 0 when the reader of stdout goes away, as `head` does: nobody is left to write to, and that is
 * no failure. If the reader of stderr goes away, the command goes on.
 */
export function exitOnBrokenPipe({ stdout, stderr, exit }: Process): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (stop) stop()
    else exit(0)
  })
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

/** Stops in good order in place of the immediate exit, for a command that has something to end first. */
export function onBrokenPipe(stopCommand: () => void): void {
  stop = stopCommand
}
