import { z } from 'zod'
import type { Assumptions } from './assumptions.ts'

interface Switch<T> {
  /** What it can be set to: the values, or the unit in words. */
  readonly values: readonly (string | number)[] | string
  readonly schema: z.ZodType<T>
}

function oneOf<const T extends string | number>(...values: readonly [T, ...T[]]): Switch<T> {
  return { values, schema: z.literal(values) }
}

const ms = z
  .number()
  .min(0)
  .max(2 ** 31 - 1)
const span: Switch<number> = { values: 'milliseconds', schema: ms }

/** Every assumption as something that can be switched. */
export const SWITCHES: { readonly [Name in keyof Assumptions]: Switch<Assumptions[Name]> } = {
  validation: oneOf('flat', 'detail'),
  keysRememberedFor: oneOf('24h', 'until_settled'),
  bodiesCompared: oneOf('bytes', 'json'),
  windowAtExactly24h: oneOf('closed', 'open'),
  minimumButtons: oneOf(0, 1),
  statusCase: oneOf('upper', 'lower', 'mixed'),
  unknownTemplateState: oneOf('refuse', 'send'),
  pendingTemplate: oneOf('refuse', 'send'),
  unsynchronisedRefusal: oneOf('400', '502'),
  checkedFirst: oneOf('contact_limit', 'window'),
  description: oneOf('open', 'token'),
  privateMedia: oneOf('refuse', 'accept'),
  upstreamMs: span,
  statusAfterMs: {
    values: 'milliseconds: {"sent": 20, "delivered": 60}',
    schema: z.strictObject({ sent: ms, delivered: ms }),
  },
  payloadShape: {
    values: '"rotate", or the number of a shape from 0',
    schema: z.union([z.literal('rotate'), z.int().min(0)]),
  },
  declaredEvents: oneOf('published', 'unpublished'),
  playedStatus: oneOf('reported', 'not_reported'),
  statusesOf: oneOf('all', 'app'),
  botMatching: oneOf('exact', 'any_case'),
  localEndpoints: oneOf('allow', 'refuse'),
  retriesSigned: oneOf('anew', 'as_first'),
  failuresCounted: oneOf('attempts', 'deliveries'),
  attemptTimeoutMs: span,
  retryAfterMs: { values: 'a list of milliseconds; the last one repeats', schema: z.array(ms) },
  retryForMs: span,
  attemptsAtOnce: { values: 'a whole number from 1', schema: z.int().min(1) },
}

export const SWITCH_NAMES = Object.keys(SWITCHES) as (keyof Assumptions)[]

/** Some of the assumptions, each within its values. */
export const assumptionsSchema: z.ZodType<Partial<Assumptions>> = z
  .strictObject(Object.fromEntries(SWITCH_NAMES.map((name) => [name, SWITCHES[name].schema])))
  .partial()
