import type { SentBody } from '../model/key-record.ts'
import { IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED, isMessageType } from '../../contract/index.ts'
import { RECIPIENT_FORM } from '../../contract/limits.ts'
import { pauseAgent } from '../actors/agent.ts'
import { type BusinessNumber, iso } from '../events/event.ts'
import type { JsonObject } from '../http/json.ts'
import { type HttpAnswer, type HttpRequest, Refusal, ok } from '../http/messages.ts'
import { type ConnectedNumber, beside } from '../model/account.ts'
import { inCase, place } from '../model/progress.ts'
import { Cleared } from '../model/schedule.ts'
import type { State } from '../state.ts'
import { approve } from './approve.ts'
import { untold } from './checks.ts'
import type { FilledTemplate } from './fill-template.ts'
import { messageOf, shownOf, textOf } from './message.ts'
import { apiRefusal } from './refusals.ts'
import { type SendTrouble, answerBefore, isBefore, spoilt, takeTrouble } from './send-faults.ts'
import { type Send, namesCodeTemplate, readBody, readSend } from './validation.ts'

/** POST /messages: form, fault, key, and all that `approve` asks, in this order; then the message is on the phone. */
export async function sendMessage(state: State, request: HttpRequest, number: ConnectedNumber): Promise<HttpAnswer> {
  const body = readBody(request, state.assumptions.validation)
  try {
    return await sendChecked(state, request, number, body)
  } catch (error) {
    if (error instanceof Refusal) showRefused(state, { number, json: body.json, refusal: error, call: request.call })
    throw error
  }
}

async function sendChecked(
  state: State,
  request: HttpRequest,
  number: ConnectedNumber,
  { raw, json }: SentBody,
): Promise<HttpAnswer> {
  const templates = state.templates.of(number.id)
  const send = readSend(json, templates, state.assumptions)
  const body = { raw, json, holdsCode: namesCodeTemplate(json, templates) }
  const key = keyOf(request)
  const isNewKey = () => key !== undefined && state.keys.look(number.id, key, body) === 'first'
  const trouble = takeTrouble(state.faults, send, isNewKey)
  if (trouble !== undefined && isBefore(trouble.rule)) return answerBefore(trouble.rule)
  try {
    const accepting = () => accept(state, number, send, request.call)
    const answer =
      key === undefined ? await accepting() : await sendOnce(state, { number, key, body, trouble }, accepting)
    return trouble ? spoilt(answer, trouble.rule) : answer
  } catch (error) {
    trouble?.giveBack()
    throw error
  }
}

/** The key that a send carries; an empty one counts as none. */
function keyOf({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const key = headers[IDEMPOTENCY_KEY.toLowerCase()]
  return typeof key === 'string' && key !== '' ? key : undefined
}

interface Keyed {
  readonly number: ConnectedNumber
  readonly key: string
  readonly body: SentBody
  readonly trouble: SendTrouble | undefined
}

/** The life of a key: in flight, settled, or released when the send fails (IDEM-02 to IDEM-05). */
async function sendOnce(
  state: State,
  { number, key, body, trouble }: Keyed,
  accepting: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const claim = state.keys.claim(number.id, key, body)
  if (claim.is === 'in_flight' || claim.is === 'reused') throw keyRefusal(claim.is)
  if (claim.is === 'settled') return { ...claim.answer, headers: { [IDEMPOTENCY_REPLAYED]: 'true' } }
  try {
    const answer = await accepting()
    if (trouble?.rule.do === 'hold_key') claim.hold(answer, trouble.rule.answers)
    else if (trouble?.rule.do === 'forget_key') claim.release()
    else claim.settle(answer)
    return answer
  } catch (error) {
    claim.release()
    throw error
  }
}

export function keyRefusal(is: 'in_flight' | 'reused'): Refusal {
  return is === 'in_flight'
    ? apiRefusal('idempotency_in_progress', 'A send with this key is still being processed.')
    : apiRefusal('idempotency_key_reused', 'This key was used with a different body.')
}

async function accept(state: State, number: ConnectedNumber, send: Send, call?: string): Promise<HttpAnswer> {
  const template = approve(state, number, send, untold)
  await upstream(state)
  const accepted = {
    id: state.ids.message(),
    upstreamId: state.ids.upstream(),
    status: inCase(state, 'sent'),
    at: state.clock.now(),
  }
  const message = messageOf(send, accepted, template)
  const shown = {
    ...shownOf(send, accepted, template),
    ...beside(state.account, number),
    ...(call !== undefined && { call }),
  }
  place(state, number, send.to, { message, shown, code: codeOf(template, accepted) })
  pauseAgent(state, number, send.to)
  return ok(message)
}

/** The handset alone shows a one-time code (OTP-06). */
function codeOf(template: FilledTemplate | undefined, { id, at }: { id: string; at: number }) {
  if (template?.code === undefined) return undefined
  const { clear, lifeMs } = template.code
  return { shown: { messageId: id, code: clear, text: template.text, at: iso(at) }, lifeMs }
}

/** The upstream platform takes its time; a key is in flight meanwhile. */
async function upstream({ assumptions, schedule }: State): Promise<void> {
  if (assumptions.upstreamMs === 0) return
  try {
    await schedule.pause(assumptions.upstreamMs)
  } catch (error) {
    if (!(error instanceof Cleared)) throw error
    throw apiRefusal('internal_error', 'The emulator was reset while this send was under way.')
  }
}

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
