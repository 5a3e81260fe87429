import type { Boundary } from '../routes/index.ts'
import type { RunningAttempt } from './attempt-room.ts'

type Blaming = Pick<RunningAttempt, 'boundaries' | 'blamed'>

/** Runs a part of the app: while it runs, and where an error comes out of it first, these are who hears of that. */
export async function partOf<T>(
  running: Blaming,
  boundaries: readonly Boundary[],
  part: () => T | Promise<T>,
): Promise<T> {
  const around = running.boundaries
  running.boundaries = boundaries
  try {
    return await part()
  } catch (error) {
    blame(running, error, boundaries)
    throw error
  } finally {
    // A cut-off attempt is judged by where it hangs, so what ended before that is left behind.
    running.boundaries = around
  }
}

/** The same of what is begun here and may fail later, when the app is somewhere else. */
export async function begunIn<T>(running: Blaming, work: () => Promise<T>): Promise<T> {
  const { boundaries } = running
  try {
    return await work()
  } catch (error) {
    blame(running, error, boundaries)
    throw error
  }
}

/** An error that goes through several parts is the innermost one's. */
export function blame({ blamed }: Blaming, error: unknown, boundaries: readonly Boundary[]): void {
  if (!blamed.has(error)) blamed.set(error, boundaries)
}

export function whoHears({ blamed, boundaries }: Blaming, error: unknown): readonly Boundary[] {
  return blamed.get(error) ?? boundaries
}
