import { z } from 'zod'

/**
 * How the emulator answers questions that the specification leaves open. You can switch each answer, even while the
 * emulator runs. docs/emulator-behaviours.md explains each switch.
 */
export type Assumptions = { readonly [Name in keyof typeof SWITCHES]: z.output<(typeof SWITCHES)[Name]['schema']> }

interface Switch<S extends z.ZodType> {
  readonly schema: S
  readonly usual: z.output<S>
  readonly rule: string
  readonly about: string
}

function choice<const T extends string>(rule: string, about: string, readings: readonly [T, ...T[]]) {
  return option(rule, about, z.enum(readings), readings[0])
}

function option<S extends z.ZodType>(rule: string, about: string, schema: S, usual: z.output<S>): Switch<S> {
  return { schema, usual, rule, about }
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const ms = z
  .number()
  .min(0)
  .max(2 ** 31 - 1)

export const SWITCHES = {
  validation: choice('SEND-23', 'The form of a validation failure: flat, or an array of details.', ['flat', 'detail']),
  keysRememberedFor: choice(
    'IDEM-09',
    'How long the service remembers a settled key. By `literal` it remembers only keys of one-time codes, for 24 hours; by `codes_until_settled` all other keys.',
    ['24h', 'until_settled', 'literal', 'codes_until_settled'],
  ),
  statusCase: choice('SEND-17', 'The case of `status`. The specification shows both, so they alternate.', [
    'mixed',
    'upper',
    'lower',
  ]),
  unknownTemplateState: choice('SEND-15', 'Whether the service sends a template in an unknown state.', [
    'refuse',
    'send',
  ]),
  templateParameters: choice(
    'SEND-13',
    'Whether the service refuses a template parameter that is empty, or has a newline, a tab or more than four blanks in a row: with 400, without a code, and with `assumed` in the answer.',
    ['refuse', 'send'],
  ),
  signalWindow: choice(
    'GEN-04',
    'Whether a reaction, a sticker, a call or an unsupported message counts as a message of the customer, which opens the window. An edit, a deletion and a note of the system never do.',
    ['opens', 'ignored'],
  ),
  description: choice('GEN-11', 'Whether the description and its page need a token.', ['token', 'open']),
  contentType: choice('GEN-16', 'Whether a send needs a JSON Content-Type.', ['required', 'ignored']),
  emptyHeaders: choice('GEN-16', 'Whether an empty Idempotency-Key or X-Phone-Number-Id counts as absent.', [
    'absent',
    'refuse',
  ]),
  redirects: choice('GEN-16', 'Whether a 3xx answer fails a delivery. The service never follows it.', [
    'failed',
    'taken',
  ]),
  upstreamMs: option('IDEM-02', 'How many milliseconds the chat platform takes. A key is in flight meanwhile.', ms, 0),
  statusAfterMs: option(
    'SEND-24',
    'After how many milliseconds the statuses follow an accepted send.',
    z.strictObject({ sent: ms, delivered: ms }),
    { sent: 20, delivered: 60 },
  ),
  payloadShape: option(
    'EVT-02',
    'The shape of payloads, which the specification does not show: a number from 0, or all in rotation.',
    z.union([z.literal('rotate'), z.int().min(0)]),
    'rotate',
  ),
  declaredEvents: choice('EVT-01', 'Whether the service publishes the declared events, which are not confirmed.', [
    'published',
    'unpublished',
  ]),
  localEndpoints: choice('DEL-09', 'Endpoints on this machine or a private network, and over http.', [
    'allow',
    'refuse',
  ]),
  retriesSigned: choice('DEL-08', 'Whether a retry gets a new timestamp, or keeps the first one and becomes stale.', [
    'each_time',
    'as_first',
  ]),
  attemptTimeoutMs: option('DEL-08', "How many milliseconds one attempt waits for the app's answer.", ms, 10 * SECOND),
  retryAfterMs: option(
    'DEL-08',
    'The wait before each retry of a delivery, in milliseconds. The last one repeats.',
    z.array(ms).readonly(),
    [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
  ),
  retryForMs: option('DEL-08', 'For how many milliseconds the service retries a delivery.', ms, 24 * HOUR),
  attemptsAtOnce: option('DEL-08', 'How many attempts run at the same time for one subscription.', z.int().min(1), 32),
} as const satisfies Readonly<Record<string, Switch<z.ZodType>>>

const entries = Object.entries(SWITCHES) as [keyof Assumptions, Switch<z.ZodType>][]

export const DEFAULT_ASSUMPTIONS = Object.fromEntries(
  entries.map(([name, { usual }]) => [name, usual]),
) as unknown as Assumptions

export const assumptionsSchema: z.ZodType<Partial<Assumptions>> = z.strictObject(
  Object.fromEntries(
    entries.map(([name, { schema, usual, rule, about }]) => [
      name,
      schema.optional().meta({ description: `${about} [${rule}]`, default: usual }),
    ]),
  ),
)
