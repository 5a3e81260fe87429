import { z } from 'zod'
import type { Duration } from '../../base/duration.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { MAX_DEPTH, parseJson } from '../http/json.ts'
import { describeFindings } from '../http/json.ts'
import { type HttpRequest, type Refusal, refuse } from '../http/messages.ts'
import { A_SPAN, spanMs } from '../model/clock.ts'

/** Every path of the control API begins with this. */
export const CONTROL_PREFIX = '/_emulator'

/** A value that the control API cannot use: one clear sentence. */
export function invalid(message: string): Refusal {
  return refuse(400, 'invalid_request', message)
}

/** A span such as `'25h'` or a number of milliseconds; read as whole milliseconds. */
export const span = z.union([z.string(), z.number()]).transform((value, context) => {
  const ms = spanMs(value as Duration)
  if (ms !== undefined) return Math.round(ms)
  context.addIssue({ code: 'custom', message: `must be ${A_SPAN}` })
  return z.NEVER
})

/** The JSON of a control request, checked; an empty body counts as `{}`. */
export function readControl<S extends z.ZodType>(request: HttpRequest, schema: S): z.output<S> {
  const json = request.body.length === 0 ? {} : parseJson(request.body)
  if (json === undefined) throw invalid(`The body must be JSON, nested no deeper than ${MAX_DEPTH}.`)
  return checked(json, schema)
}

export function checked<S extends z.ZodType>(value: unknown, schema: S): z.output<S> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw invalid(describeFindings(read.error.issues))
}

/** Lets what the base room refuses (a span, an option) be answered like any other bad value. */
export function orInvalid<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof SwitchhookError) throw invalid(error.message)
    throw error
  }
}
