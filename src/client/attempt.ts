import type { Duration } from '../base/duration.ts'
import { ENDPOINTS, IDEMPOTENCY_REPLAYED, type MessageOut } from '../contract/index.ts'
import type { Answer, Attempt, Call } from './call.ts'
import { exchange } from './exchange.ts'
import { headerValue } from './header-value.ts'
import { asRecord, jsonOf } from './json.ts'
import { silence } from './no-answer.ts'
import { maskedRawOf, type Raw, rawOf } from './raw.ts'
import { refusalOf } from './refusal.ts'
import { reported } from './report.ts'
import type { Settings } from './settings.ts'
import { statusOf } from './status.ts'

/** One send under one key, its body already bytes (`encodeSend`). */
export interface SendAttempt {
  readonly body: string
  readonly idempotencyKey: string
  readonly phoneNumberId?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** How long it may take; default the client's. One for a one-time code must not outlive the code (OTP-09). */
  readonly timeout?: Duration | undefined
}

/** The service took the message over. That it was sent or delivered, only a status says (SEND-25). */
export interface AttemptAccepted {
  /** As the service wrote it, unknown members kept; its `status` in either case. */
  message: MessageOut
  /** The message's status in lower case, where it has one (SEND-17). */
  status: string | undefined
  /** The service recognised the key and gave its first answer again; nothing was sent a second time (IDEM-08). */
  replayed: boolean
  /** The answer itself; its `body` is the message. */
  raw: Raw
}

/** Like `SendAttempt`; without a key where the caller says so by `null`. */
export type SendCall = Omit<SendAttempt, 'idempotencyKey' | 'timeout'> & { readonly idempotencyKey: string | null }

export async function attemptSend(settings: Settings, send: SendCall, attempt: Attempt): Promise<AttemptAccepted> {
  const { body, idempotencyKey: key, phoneNumberId: id, signal } = send
  const call: Call = {
    ...ENDPOINTS.send,
    body,
    idempotencyKey: key === null ? undefined : headerValue('idempotencyKey', key),
    phoneNumberId: id === undefined ? settings.phoneNumberId : headerValue('phoneNumberId', id),
    signal,
  }
  return reported(settings, { call, attempt }, async () => {
    const answer = await exchange(settings, call, attempt)
    if (answer.status >= 200 && answer.status < 300) return acceptedIn(answer)
    // 409 says two things, and which one stands in the body: cut off, it may mean that the first one still runs.
    if (answer.status === 409 && answer.broken !== undefined) throw unreadable(answer, 'was cut off')
    throw refusalOf(answer)
  })
}

/** Only the id is asked for: a success that is odd elsewhere is still one, and must not be sent again. */
function acceptedIn(answer: Answer): AttemptAccepted {
  if (answer.broken !== undefined) throw unreadable(answer, 'was cut off')
  const message = jsonOf(answer.text)
  const { id } = asRecord(message)
  if (typeof id !== 'string' || id === '') throw unreadable(answer, message === undefined ? 'is no JSON' : 'has no id')
  const accepted = message as MessageOut
  return { message: accepted, status: statusOf(accepted), replayed: isReplay(answer.headers), raw: rawOf(answer) }
}

function unreadable(answer: Answer, why: string) {
  const { call, status, broken } = answer
  const reason = broken === 'timeout' || broken === 'aborted' ? broken : 'unreadable'
  const retry = broken === 'aborted' ? 'no' : 'backoff'
  const what = `answered ${status}, but the body ${why}`
  return silence(call, { reason, retry, status, notSent: false, what, raw: () => maskedRawOf(answer) })
}

function isReplay(headers: Headers): boolean {
  return headers.get(IDEMPOTENCY_REPLAYED)?.trim().toLowerCase() === 'true'
}
