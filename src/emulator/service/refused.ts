import { type JsonObject, isObject } from '../http/body.ts'
import type { Refusal } from '../http/messages.ts'
import { iso } from '../events/event.ts'
import type { State } from '../state.ts'

/**
 * Puts a refused send beside what arrived: seeing what did not reach the phone is what a developer needs.
 * A body that names no customer has no place to stand, and a repeat that is still in flight was not refused.
 */
export function showRefused(state: State, json: JsonObject, refusal: Refusal): void {
  const to = json['to']
  if (typeof to !== 'string' || !/^\d{6,20}$/.test(to) || refusal.code === 'idempotency_in_progress') return
  const text = textOf(json)
  state.phones.of(to).thread.push({
    id: state.ids.refused(),
    direction: 'OUTBOUND',
    kind: typeof json['type'] === 'string' ? json['type'] : 'text',
    text,
    content: text,
    status: null,
    at: iso(state.clock.now()),
    refused: { status: refusal.status, code: refusal.code ?? null, message: refusal.message },
  })
}

function textOf(json: JsonObject): string | null {
  const interactive = json['interactive']
  const candidates = [json['text'], isObject(interactive) ? interactive['body'] : undefined, json['media_caption']]
  return candidates.find((text): text is string => typeof text === 'string') ?? null
}
