import { z } from 'zod'
import type { Duration } from '../../base/duration.ts'
import { type HttpRequest, type Refusal, describeFindings, parseJson, refuse } from '../http/messages.ts'
import { type Account, type ConnectedNumber, firstNumber, numberWithId } from '../model/account.ts'
import { A_SPAN, spanMs } from '../model/emulated-clock.ts'
import type { State, World } from '../world.ts'

export const CONTROL_PREFIX = '/_emulator'

export function isControlPath(path: string): boolean {
  return path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`)
}

export function invalid(message: string): Refusal {
  return refuse(400, 'invalid_request', message)
}

export function readJson({ body }: HttpRequest): unknown {
  const json = body.length === 0 ? {} : parseJson(body)
  if (json === undefined) throw invalid('The body must be JSON.')
  return json
}

export function checked<S extends z.ZodType>(value: unknown, schema: S): z.output<S> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw invalid(describeFindings(read.error.issues))
}

/** Parses a span such as `'25h'`, or a number of milliseconds, to whole milliseconds. */
export const span = z.union([z.string(), z.number()]).transform((value, context) => {
  const ms = spanMs(value as Duration)
  if (ms !== undefined) return Math.round(ms)
  context.addIssue({ code: 'custom', message: `must be ${A_SPAN}` })
  return z.NEVER
})

/** Returns the object without its undefined members. */
export function given(wanted: object) {
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
}

export function numberByIdOrFirst(account: Pick<Account, 'numbers'>, id: string | undefined): ConnectedNumber {
  const found = id === undefined ? firstNumber(account) : numberWithId(account, id)
  if (found === undefined) throw invalid(`The number ${JSON.stringify(id)} is not connected.`)
  return found
}

/** One operation of the control API. It is called over HTTP, or in the same process. */
export interface Operation<In extends z.ZodType = z.ZodType, Out = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path without the prefix. A segment that begins with `:` matches any value. */
  readonly path: string
  readonly does: string
  readonly schema: In
  /** `value`: the path's variable segment; empty if there is none. */
  run(world: World, given: z.output<In>, value: string): Out
}

export const NO_BODY = z.strictObject({})

export function get<Out>(
  path: string,
  does: string,
  run: (state: State, value: string, world: World) => Out,
): Operation<typeof NO_BODY, Out> {
  return { method: 'GET', path, does, schema: NO_BODY, run: (world, _, value) => run(world.state, value, world) }
}

export function change<In extends z.ZodType, Out>(
  method: Operation['method'],
  path: string,
  does: string,
  schema: In,
  run: (state: State, given: z.output<In>, value: string, world: World) => Out,
): Operation<In, Out> {
  return { method, path, does, schema, run: (world, given, value) => run(world.state, given, value, world) }
}
