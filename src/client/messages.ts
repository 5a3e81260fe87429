import type { Duration } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { codeIn, type Content, digitsOf, encodeSend, type OneTimeCode, type Template } from '../content/index.ts'
import { CODE_EXPIRY } from '../contract/index.ts'
import { type AttemptAccepted, attemptSend } from './attempt.ts'
import { type Flights, joined } from './flights.ts'
import { keyFrom } from './key.ts'
import type { Limits } from './options.ts'
import type { Pauses } from './pauses.ts'
import { withRetries } from './retry.ts'
import { type Settings, settingsOf, timeFor } from './settings.ts'

export interface SendOptions extends Limits {
  /**
   * Names this message and no other, derived from what it is about: never random, never a counter (IDEM-01). Parts
   * are hashed as by `keyFrom`. `null` says that there is none: then nothing is repeated whose outcome is unknown
   * (ERR-04).
   */
  idempotencyKey: string | readonly (string | number)[] | null
  phoneNumberId?: string | undefined
  signal?: AbortSignal | undefined
  /** Members of the body that this release does not know; those it knows are refused. */
  extra?: Readonly<Record<string, unknown>> | undefined
  /** How long a one-time code holds: no attempt outlives it (OTP-09). Default 10 minutes, at most 15. */
  expiresIn?: Duration | undefined
}

/** Accepted, after one attempt or several. */
export interface Accepted extends AttemptAccepted {
  attempts: number
}

/** A client's settings, and what its sends know of each other. */
export interface Sending {
  readonly settings: Settings
  readonly flights: Flights<Accepted>
  readonly pauses: Pauses
}

export async function sendMessage(
  client: Sending,
  to: string,
  what: Content | Template | OneTimeCode,
  options: SendOptions,
): Promise<Accepted> {
  const settings = boundedBy(what, options, settingsOf(client.settings, options))
  const { validation, warn, allowedRecipients } = settings
  const { phoneNumberId, signal, extra } = options
  const body = encodeSend(what, to, { validation, warn, extra })
  if (allowedRecipients?.has(digitsOf(to)) === false)
    throw new SwitchhookError(
      'recipient_not_allowed',
      'this recipient is not in the list of allowed recipients: add it to the option allowedRecipients',
    )
  const key = keyOf(options, to, codeIn(what))
  const send = { body, idempotencyKey: key, phoneNumberId, signal }
  const pause = client.pauses.of({ number: phoneNumberId ?? settings.phoneNumberId, idempotencyKey: key })
  const fly = async () => {
    const { value, attempts } = await withRetries(settings, { safe: key !== null, signal, pause }, (attempt) =>
      attemptSend(settings, send, attempt),
    )
    return { ...value, attempts }
  }
  return key === null ? fly() : joined(client.flights, { ...send, key }, settings, fly)
}

/** A code that came too late helps nobody, and may come after the next one. */
function boundedBy(what: unknown, { expiresIn }: SendOptions, settings: Settings): Settings {
  if (codeIn(what) === undefined) return settings
  const given = expiresIn === undefined ? CODE_EXPIRY.usualMs : timeFor(expiresIn, 'expiresIn')
  return { ...settings, deadline: Math.min(settings.deadline, given, CODE_EXPIRY.longestMs) }
}

const SHORTEST_TOLD = 4

/** A key is stored and logged elsewhere, by us and by the service. */
function keyOf({ idempotencyKey }: SendOptions, to: string, code: string | undefined): string | null {
  if (idempotencyKey === undefined) refuse('expected a key made from what the message is about, or an explicit null')
  if (Array.isArray(idempotencyKey)) return keyFrom(...(idempotencyKey as readonly (string | number)[]))
  // What is no string at all is refused where it becomes a header.
  if (typeof idempotencyKey !== 'string') return idempotencyKey as null
  if (idempotencyKey.includes(digitsOf(to))) refuse('holds the recipient: give its parts, which are hashed')
  if (code !== undefined && code.length >= SHORTEST_TOLD && idempotencyKey.includes(code))
    refuse('holds the one-time code: name the attempt to verify instead')
  return idempotencyKey
}

function refuse(why: string): never {
  throw new SwitchhookError('options_invalid', `idempotencyKey: ${why}`)
}
