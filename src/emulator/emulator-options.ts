import { randomBytes, randomInt } from 'node:crypto'
import { z } from 'zod'
import { realTimers, type Timers } from '../base/clock.ts'
import { optionsInvalid } from '../base/errors.ts'
import { DEFAULT_HEADER_PREFIX } from '../service/delivery.ts'
import { type Assumptions, DEFAULT_ASSUMPTIONS, assumptionsSchema } from './model/assumptions.ts'
import { readFixtures } from './events/fixtures.ts'
import type { Post } from './deliver/request.ts'
import { isEndpoint, isPublicEndpoint, newSigningSecret } from './deliver/subscriptions.ts'
import { describeFindings } from './http/messages.ts'
import { newToken } from './model/account.ts'

export interface EmulatorOptions {
  /** The port on 127.0.0.1. Default 0, which picks a free one. */
  readonly port?: number
  /**
   * The app's endpoint, registered as the first subscription. Default: none, so events are not delivered until one is
   * registered.
   */
  readonly webhook?: string
  /** The signing secret of the first subscription. Default: generated for this run. */
  readonly secret?: string
  /** The access token of the API. Default: generated for this run. */
  readonly token?: string
  /** The token for the control API. Default: generated for this run. */
  readonly controlToken?: string
  /** With the same seed, ids and the order of payload shapes are the same. Default: random in each run. */
  readonly seed?: number
  /** The time at which the clock begins. Default: wall time. */
  readonly now?: Date
  /** Settings for questions that the specification leaves open. docs/emulator-behaviours.md lists them. */
  readonly assumptions?: Partial<Assumptions>
  /**
   * A folder of the service's own payloads, as `switchhook payload export` writes them. Events have these shapes, with
   * the emulator's customers, texts, ids and times. An event that fits none of them gets a made-up shape, with a
   * warning. Default: shapes that comparable services use, in turn.
   */
  readonly payloads?: string
  /** @internal */
  readonly internals?: EmulatorInternals
}

/** Settings for the project's own tests and tools. */
export interface EmulatorInternals {
  readonly timers?: Timers
  readonly wall?: () => Date
  readonly headerPrefix?: string
  /** Posts deliveries; default: over HTTP. */
  readonly post?: Post
}

export type ResolvedOptions = Readonly<ReturnType<typeof resolveOptions>>

const token = z.string().regex(/^[\x21-\x7e]+$/, 'must be printable characters without spaces')

const optionsSchema = z
  .strictObject({
    port: z.int().min(0).max(65_535),
    webhook: z.custom<string>(isEndpoint, 'must be an http or https address without credentials'),
    secret: z.string().regex(/\S/, 'must not be blank'),
    token,
    controlToken: token,
    seed: z.int(),
    now: z.date(),
    assumptions: assumptionsSchema,
    payloads: z.string().min(1, "must be a folder's path"),
    internals: z.custom<EmulatorInternals>(),
  })
  .partial()

/** Applies the defaults. @throws SwitchhookError `options_invalid`, which names the option. */
export function resolveOptions(options: EmulatorOptions) {
  const read = optionsSchema.safeParse(options)
  // The error does not repeat a value, which may be a secret.
  if (!read.success) throw optionsInvalid(`The emulator's options: ${describeFindings(read.error.issues)}.`)
  const { port = 0, webhook, secret, token, controlToken, seed, now, assumptions = {}, payloads } = options
  const { internals = {} } = options
  if (webhook !== undefined && assumptions.localEndpoints === 'refuse' && !isPublicEndpoint(webhook))
    throw optionsInvalid("The emulator's options: webhook: must be public https, because localEndpoints is refuse.")
  return {
    port,
    webhook,
    secret: secret ?? newSigningSecret(),
    token: token ?? newToken(),
    controlToken: controlToken ?? randomBytes(24).toString('base64url'),
    seed: seed ?? randomInt(0x1_0000_0000),
    start: now,
    timers: internals.timers ?? realTimers,
    wall: internals.wall ?? (() => new Date()),
    headerPrefix: internals.headerPrefix ?? DEFAULT_HEADER_PREFIX,
    assumptions: { ...DEFAULT_ASSUMPTIONS, ...assumptions },
    fixtures: payloads === undefined ? [] : readFixtures(payloads),
    post: internals.post,
  }
}
