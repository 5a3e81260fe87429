import { isMessageType } from '../../contract/index.ts'
import { RECIPIENT_FORM } from '../../contract/limits.ts'
import type { JsonObject } from '../http/body.ts'
import type { Refusal } from '../http/messages.ts'
import { type BusinessNumber, iso } from '../events/event.ts'
import type { State } from '../state.ts'
import { beside } from './account.ts'
import { textOf } from './message.ts'

/** A send that was refused. */
export interface RefusedSend {
  readonly number: BusinessNumber
  readonly json: JsonObject
  readonly refusal: Refusal
  /** The id of its call. */
  readonly call: string | undefined
}

/**
 * Puts a refused send beside what arrived: seeing what did not reach the phone is what a developer needs.
 * A body that names no customer has no place to stand, and a repeat that is still in flight was not refused.
 */
export function showRefused(state: State, { number, json, refusal, call }: RefusedSend): void {
  const to = json['to']
  if (typeof to !== 'string' || !RECIPIENT_FORM.test(to) || refusal.code === 'idempotency_in_progress') return
  const { type = 'text' } = json
  // Of a template nothing, since a parameter may be a one-time code (OTP-06).
  const text = isMessageType(type) ? textOf(type, json) : null
  state.phones.show(to, {
    id: state.ids.refused(),
    direction: 'OUTBOUND',
    kind: typeof type === 'string' ? type : 'text',
    text,
    content: text,
    status: null,
    at: iso(state.clock.now()),
    refused: { status: refusal.status, code: refusal.code ?? null, message: refusal.message },
    ...beside(state.account, number),
    ...(call !== undefined && { call }),
  })
}
