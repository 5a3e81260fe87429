import { SwitchhookError } from '../base/errors.ts'
import { kindOf } from '../base/value.ts'

/** The place of a value, as refusals name it: the builder, and the path inside its arguments. */
export interface Place {
  readonly builder: string
  readonly path: string
}

/** Refuses a wrong argument. `why` says what came and what to do, and never repeats a text of the message. */
export function refuse({ builder, path }: Place, why: string): never {
  throw new SwitchhookError('content_invalid', `${builder}: ${path} ${why}`)
}

/** A string that can be sent as it is. Its length is checked when it is sent (`problemsOf`). */
export function string(place: Place, value: unknown, advice?: string): string {
  if (typeof value !== 'string')
    refuse(place, `must be a string, got ${kindOf(value)}${advice === undefined ? '' : `: ${advice}`}`)
  if (!value.isWellFormed())
    refuse(place, 'holds half a character (a lone surrogate), so it was cut inside one: cut by code points instead')
  return value
}

/** The optional last argument of a builder. Unknown members are refused, since the service drops them in silence. */
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
