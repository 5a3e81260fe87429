import { type Content, encodeSend, type Template } from '../content/index.ts'
import { type AttemptAccepted, attemptSend } from './attempt.ts'
import { withRetries } from './retry.ts'
import type { Settings } from './settings.ts'
import { SwitchhookError } from '../base/errors.ts'

export interface SendOptions {
  /**
   * Names this message and no other, derived from what it is about: never random, never a counter (IDEM-01).
   * `null` says that there is none: then nothing is repeated whose outcome is unknown (ERR-04).
   */
  idempotencyKey: string | null
  phoneNumberId?: string | undefined
  signal?: AbortSignal | undefined
}

/** Accepted, after one attempt or several. */
export interface Accepted extends AttemptAccepted {
  attempts: number
}

export async function sendMessage(
  settings: Settings,
  to: string,
  what: Content | Template,
  options: SendOptions,
): Promise<Accepted> {
  const { idempotencyKey, phoneNumberId, signal } = options
  if (idempotencyKey === undefined)
    throw new SwitchhookError(
      'options_invalid',
      'idempotencyKey: expected a key made from what the message is about, or an explicit null',
    )
  const send = { body: encodeSend(what, to), idempotencyKey, phoneNumberId, signal }
  const { value, attempts } = await withRetries(settings, { safe: idempotencyKey !== null, signal }, (timeout) =>
    attemptSend(settings, send, timeout),
  )
  return { ...value, attempts }
}
