import { SwitchhookError } from '../base/errors.ts'
import { codePoints } from '../contract/index.ts'

export interface Limit {
  readonly min?: number
  readonly max: number
}

/** Where a value stands: the builder, and the path inside its arguments. */
export interface Place {
  readonly builder: string
  readonly path: string
}

/** Refuses a content. `why` names the limit, what came and what to do, and never repeats a text of the message. */
export function refuse({ builder, path }: Place, why: string): never {
  throw new SwitchhookError('content_invalid', `${builder}: ${path} ${why}`)
}

/** A string that can go out unharmed. */
export function string(place: Place, value: unknown): string {
  if (typeof value !== 'string') refuse(place, `must be a string, got ${kindOf(value)}`)
  if (!value.isWellFormed())
    refuse(place, 'holds half a character (a lone surrogate), so it was cut inside one: cut by code points instead')
  return value
}

/** A string within a limit of the service, counted in code points; nothing is ever cut to fit. */
export function bounded(place: Place, value: unknown, limit: Limit, advice = 'shorten it, nothing is cut'): string {
  const text = string(place, value)
  const length = codePoints(text)
  if (length < (limit.min ?? 0)) refuse(place, `must have ${say(limit)} characters, got ${length}: fill it`)
  if (length > limit.max) refuse(place, `must have ${say(limit)} characters, got ${length}: ${advice}`)
  return text
}

/** A string with something in it; the specification shows no further limit. */
export function filled(place: Place, value: unknown): string {
  const text = string(place, value)
  if (text.trim() === '') refuse(place, `must not be blank, got ${codePoints(text)} characters`)
  return text
}

/** The optional last argument: only members that reach the customer, since the service drops others in silence. */
export function members<const Name extends string>(
  builder: string,
  value: unknown,
  known: readonly Name[],
): { readonly [K in Name]?: unknown } {
  const place = { builder, path: 'the last argument' }
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(place, `must be an object, got ${kindOf(value)}`)
  for (const name of Object.keys(value))
    if (!(known as readonly string[]).includes(name))
      refuse(
        { builder, path: JSON.stringify(name) },
        `is not part of it and would be lost in silence: it takes ${known.join(', ') || 'nothing more'}`,
      )
  return value
}

export function array(place: Place, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) refuse(place, `must be an array, got ${kindOf(value)}`)
  return value as unknown[]
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : typeof value
}

function say({ min = 0, max }: Limit): string {
  return min > 0 ? `${min} to ${max}` : `at most ${max}`
}
