import type { Duration } from '../base/duration.ts'
import { optionsInvalid } from '../base/errors.ts'
import { asRecord, parseJson } from '../base/value.ts'
import { codeIn } from '../service/one-time-code.ts'
import type { Content, OneTimeCode, Template } from '../service/content.ts'
import { digitsOf } from '../service/recipient.ts'
import { encodeSend } from '../service/wire.ts'
import { CODE_EXPIRY, ENDPOINTS, IDEMPOTENCY_REPLAYED } from '../service/endpoints.ts'
import { type MessageOut } from '../service/answers.ts'
import { noAnswerError } from './api-errors.ts'
import { type ServiceAnswer, type Attempt, type Call, exchange } from './transport.ts'
import { headerValue } from './key-from.ts'
import type { Settings } from './client-options.ts'
import { refusalOf } from './refusal.ts'
import { withRetries } from './retries.ts'

export interface SendOptions {
  /**
   * The key of this message, derived from its subject by `keyFrom`: never random, never a counter (IDEM-01). With
   * `null` there is no key, so a send with an unknown outcome is not retried (ERR-04).
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
  client: Settings,
  to: string,
  what: Content | Template | OneTimeCode,
  options: SendOptions,
): Promise<Accepted> {
  const settings = withinCodeExpiry(what, client)
  const { phoneNumberId, signal } = options
  const body = encodeSend(what, to)
  const key = keyOf(options, to, codeIn(what))
  const send = { body, idempotencyKey: key, phoneNumberId, signal }
  const { value, attempts } = await withRetries(settings, { safe: key !== null, signal }, (attempt) =>
    attemptSend(settings, send, attempt),
  )
  return { ...value, attempts }
}

/** Shortens the deadline for a code: a late code is useless, and may arrive after the next one (OTP-09). */
function withinCodeExpiry(what: unknown, settings: Settings): Settings {
  if (codeIn(what) === undefined) return settings
  return { ...settings, deadline: Math.min(settings.deadline, CODE_EXPIRY.usualMs) }
}

const SHORTEST_CODE_FOUND = 4

/** Refuses a key that reveals recipient or code, because we and the service store and log keys. */
function keyOf({ idempotencyKey }: SendOptions, to: string, code: string | undefined): string | null {
  if (idempotencyKey === undefined) refuseKey("expected a key derived from the message's subject, or an explicit null")
  // `headerValue` refuses a value that is not a string.
  if (typeof idempotencyKey !== 'string') return idempotencyKey
  if (idempotencyKey.includes(digitsOf(to)))
    refuseKey('contains the recipient: make it with keyFrom(), which hashes its parts')
  if (code !== undefined && code.length >= SHORTEST_CODE_FOUND && idempotencyKey.includes(code))
    refuseKey('contains the one-time code: name the verification attempt instead')
  return idempotencyKey
}

function refuseKey(why: string): never {
  throw optionsInvalid(`idempotencyKey: ${why}`)
}

/** One send under one key, with its body as bytes (`encodeSend`). */
export interface SendAttempt {
  readonly body: string
  readonly idempotencyKey: string
  readonly phoneNumberId?: string | undefined
  readonly signal?: AbortSignal | undefined
  /**
   * How long the attempt may take. Default: the client's limit. For a one-time code it must not exceed the code's
   * validity (OTP-09).
   */
  readonly timeout?: Duration | undefined
}

/** The service accepted the message. Only a status shows whether it was sent or delivered (SEND-25). */
export interface AttemptAccepted {
  /** The message as the service wrote it, with unknown members. Its `status` is in upper or lower case. */
  message: MessageOut
  /** The message's status in lower case, if it has one (SEND-17). */
  status: string | undefined
  /** The service recognised the key and repeated its first answer. Nothing was sent a second time (IDEM-08). */
  replayed: boolean
}

/** A `SendAttempt` that may have no key, which the caller states by `null`. */
type KeylessAttempt = Omit<SendAttempt, 'idempotencyKey' | 'timeout'> & { readonly idempotencyKey: string | null }

export async function attemptSend(
  settings: Settings,
  send: KeylessAttempt,
  attempt: Attempt,
): Promise<AttemptAccepted> {
  const { body, idempotencyKey: key, phoneNumberId: id, signal } = send
  const call: Call = {
    ...ENDPOINTS.send,
    body,
    idempotencyKey: key === null ? undefined : headerValue('idempotencyKey', key),
    phoneNumberId: id === undefined ? settings.phoneNumberId : headerValue('phoneNumberId', id),
    signal,
  }
  const answer = await exchange(settings, call, attempt)
  if (answer.status >= 200 && answer.status < 300) return acceptedIn(answer)
  // 409 has two meanings, which only the body tells apart. In one of them the first send is still running.
  if (answer.status === 409 && answer.broken !== undefined) throw unreadable(answer, 'was cut off')
  throw refusalOf(answer)
}

/** An answer that has only an `id` is a success too: its message must not be sent again. */
function acceptedIn(answer: ServiceAnswer): AttemptAccepted {
  if (answer.broken !== undefined) throw unreadable(answer, 'was cut off')
  const message = parseJson(answer.text)
  const { id } = asRecord(message)
  if (typeof id !== 'string' || id === '') throw unreadable(answer, message === undefined ? 'is not JSON' : 'has no id')
  const accepted = message as MessageOut
  const replayed = String(answer.headers[IDEMPOTENCY_REPLAYED.toLowerCase()]).trim().toLowerCase() === 'true'
  const { status } = accepted
  // The service writes a status in upper or lower case (SEND-17). Unknown values stay.
  return {
    message: accepted,
    status: typeof status === 'string' ? status.toLowerCase() || undefined : undefined,
    replayed,
  }
}

function unreadable(answer: ServiceAnswer, why: string) {
  const { call, status, broken } = answer
  const reason = broken === 'timeout' || broken === 'aborted' ? broken : 'unreadable'
  const retry = broken === 'aborted' ? 'no' : 'backoff'
  const what = `answered ${status}, but the body ${why}`
  return noAnswerError(call, { reason, retry, status, notSent: false, what })
}
