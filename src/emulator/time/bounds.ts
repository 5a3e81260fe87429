import { z } from 'zod'
import { type Duration, toMs } from '../../base/duration.ts'
import { SwitchhookError } from '../../base/errors.ts'

/** Where the clock can go, in milliseconds since the epoch: from the year 2000 to 2199. */
export const EARLIEST_MS = Date.UTC(2000, 0)
export const LATEST_MS = Date.UTC(2200, 0)

/** A longer span leads from there out of the years that a date can have. */
export const LONGEST_SPAN_MS = 100 * 365 * 86_400_000

/** A time that something stands at, as a snapshot holds it. */
export const moment = z
  .number()
  .min(EARLIEST_MS)
  .max(LATEST_MS + LONGEST_SPAN_MS)

export const A_SPAN = "a span such as '25h' or a number of milliseconds, of a hundred years at most"

/** Milliseconds of a span, or undefined where it is none or too long. */
export function spanMs(span: Duration): number | undefined {
  try {
    const ms = toMs(span)
    return ms <= LONGEST_SPAN_MS ? ms : undefined
  } catch (error) {
    if (error instanceof SwitchhookError) return undefined
    throw error
  }
}
