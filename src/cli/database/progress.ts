import { EXIT } from '../support/exit.ts'
import { type Io, isInteractive } from '../support/io.ts'

/** How far a work has come, shown at a terminal. */
export interface Progress {
  /** So many are done already; the answer is their number. */
  skip(count: number): number
  advance(count: number): void
  end(message: string): void
}

/** Shows a bar to a person at a terminal; elsewhere a line tells the end, and nothing else is written. */
export async function startProgress(io: Io, what: string, max: number): Promise<Progress> {
  if (!isInteractive(io))
    return { skip: (count) => count, advance() {}, end: (message) => io.err(`${what}: ${message}.`) }
  const { progress } = await import('@clack/prompts')
  const bar = progress({ max: Math.max(1, max), output: io.stderr })
  // On Ctrl-C the bar ends the process as if all were done.
  process.once('exit', interrupted)
  bar.start(what)
  return {
    skip(count) {
      bar.advance(count)
      return count
    },
    advance: (count) => bar.advance(count),
    end(message) {
      process.off('exit', interrupted)
      bar.stop(`${what}: ${message}`)
    },
  }
}

function interrupted(): void {
  process.exitCode = EXIT.interrupted
}
