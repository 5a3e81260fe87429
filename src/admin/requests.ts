import { z } from 'zod'
import * as builtIn from '../built-in/admin-requests.ts'
import type { AllOf } from '../store/database/effects-of-features.ts'
import { RETRYABLE } from '../view/delivery-states.ts'

// The requests of the admin page. `api.ts` has the answers.

/**
 * One page of a list, of `limit` rows (1 to 200, default 50). Request the next one with `after=NEXT` until `next` is
 * absent. A page may have fewer rows, or none, although `next` is present: no query reads a whole table.
 */
export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly next?: string | undefined
}

/** `error` is a code to branch on. `message` is for a person. */
export interface Refusal {
  readonly error: RefusalCode
  readonly message: string
}

export const REFUSALS = {
  invalid: 400,
  unauthorized: 401,
  read_only: 403,
  not_revealed: 403,
  may_not_write: 403,
  may_not: 403,
  other_origin: 403,
  not_found: 404,
  method_not_allowed: 405,
  changed: 409,
  /** At the desk: the customer or a colleague has written since the person read the chat. */
  unseen: 409,
  not_possible: 409,
  /** At the desk: the customer does not wait. */
  no_wait: 409,
  no_colleague: 404,
  no_snippet: 404,
  // The next six: why the desk did not send a message.
  window_closed: 409,
  not_allowed: 409,
  not_fitting: 409,
  no_template: 409,
  number_stopped: 409,
  not_accepted: 409,
  too_large: 413,
  failed: 500,
  not_started: 503,
} as const

export type RefusalCode = keyof typeof REFUSALS

const text = z.string().min(1).max(500)
const whole = z.int().min(0)

const retryFilter = z.strictObject({
  states: z.array(z.enum(RETRYABLE)).min(1),
  event: text.optional(),
  number: text.optional(),
})

const OWN_ACTS = [
  /** Either `deliveries`, by their `seq`, or a `filter` with the token of its preview. */
  z.object({
    act: z.literal('retry'),
    deliveries: z.array(whole).min(1).max(200).optional(),
    filter: retryFilter.optional(),
    token: text.optional(),
  }),
  z.object({ act: z.literal('resolve'), send: text, as: z.enum(['accepted', 'resend', 'drop']) }),
  /** Without `number`, resumes all numbers. `restored`: also releases sends that are held after a restore. */
  z.object({ act: z.literal('resume'), number: text.optional(), restored: z.boolean().default(false) }),
  z.object({ act: z.literal('cancel'), send: text }),
] as const

type OfFeatures = (typeof builtIn)[keyof typeof builtIn]
type ActOfFeature = OfFeatures['acts'][number]
type AnyAct = (typeof OWN_ACTS)[number] | ActOfFeature

const OF_FEATURES = Object.values<{ readonly acts: readonly ActOfFeature[]; readonly posts: object }>(builtIn)
const ALL_ACTS: readonly AnyAct[] = [...OWN_ACTS, ...OF_FEATURES.flatMap(({ acts }) => acts)]
const POSTS_OF_FEATURES = Object.assign({}, ...OF_FEATURES.map(({ posts }) => posts)) as object &
  AllOf<OfFeatures['posts']>

const act = z.discriminatedUnion('act', ALL_ACTS as readonly [AnyAct, ...AnyAct[]])

export const BODIES = {
  /**
   * `text`: the id or `seq` of a delivery, or the id or `ref` of a send. For a person with `reveal` also the key of a
   * send or the digits of a customer.
   */
  search: z.object({ text }),
  /** The path of a GET view, such as `api/deliveries/12`. */
  reveal: z.object({ view: text }),
  preview: z.object({ filter: retryFilter }),
  act,
  ...POSTS_OF_FEATURES,
} as const

export type RetryFilter = z.infer<typeof retryFilter>
export type Act = z.input<typeof act>
export type AskedAct = z.infer<typeof act>
export type ActName = Act['act']
export type ActNameOfFeature = NameOf<ActOfFeature>

type NameOf<A> = A extends z.ZodType<{ act: infer Name }> ? Name : never

export interface Preview {
  /** With this token, `POST api/act` does exactly what the preview showed, or nothing. */
  readonly token: string
  readonly deliveries: number
  readonly customers: number
  readonly more: boolean
}

export interface Done {
  readonly count: number
  readonly untouched: readonly { readonly what: string; readonly why: string }[]
}
