import { z } from 'zod'
import { codePoints } from './limits.ts'

/** A string whose length, in code points, lies within a limit of the service. */
export function bounded({ min = 0, max }: { min?: number; max: number }) {
  return z.string().refine(
    (text) => {
      const length = codePoints(text)
      return length >= min && length <= max
    },
    { message: min > 0 ? `must have ${min} to ${max} characters` : `must have at most ${max} characters` },
  )
}
