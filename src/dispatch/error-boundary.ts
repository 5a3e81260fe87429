import type { Boundary } from '../routes/index.ts'
import type { RunningAttempt } from './types.ts'

type Blaming = Pick<RunningAttempt, 'boundaries' | 'errorBoundaries'>

/** Runs a part of the app: while it runs, and where an error comes out of it first, these are who hears of that. */
export async function withinBoundary<T>(
  running: Blaming,
  boundaries: readonly Boundary[],
  part: () => T | Promise<T>,
): Promise<T> {
  const around = running.boundaries
  running.boundaries = boundaries
  try {
    return await part()
  } catch (error) {
    assignBoundaries(running, error, boundaries)
    throw error
  } finally {
    // A cut-off attempt is judged by where it hangs, so what ended before that is left behind.
    running.boundaries = around
  }
}

/** The same of what is begun here and may fail later, when the app is somewhere else. */
export async function trackedInBoundary<T>(running: Blaming, work: () => Promise<T>): Promise<T> {
  const { boundaries } = running
  try {
    return await work()
  } catch (error) {
    assignBoundaries(running, error, boundaries)
    throw error
  }
}

/** An error that goes through several parts is the innermost one's. */
export function assignBoundaries({ errorBoundaries }: Blaming, error: unknown, boundaries: readonly Boundary[]): void {
  if (!errorBoundaries.has(error)) errorBoundaries.set(error, boundaries)
}

export function boundariesFor({ errorBoundaries, boundaries }: Blaming, error: unknown): readonly Boundary[] {
  return errorBoundaries.get(error) ?? boundaries
}
