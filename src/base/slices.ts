import { afterThisTurn, monotonic } from './clock.ts'

/** Work that may be long: it yields wherever others may go on. */
export type Sliced<T> = Generator<void, T>

/** After so many milliseconds others go on. */
const SLICE_MS = 10

/** Does the work without a pause. */
export function atOnce<T>(work: Sliced<T>): T {
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}

/** Does the work in short slices, between which the event loop is free. */
export async function inSlices<T>(work: Sliced<T>): Promise<T> {
  let begunAt = monotonic()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (monotonic() - begunAt < SLICE_MS) continue
    await afterThisTurn()
    begunAt = monotonic()
  }
}
