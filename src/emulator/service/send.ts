import { IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED } from '../../contract/index.ts'
import { errorOf } from '../faults/rule.ts'
import type { Fault } from '../faults/faults.ts'
import type { JsonObject } from '../http/body.ts'
import { type HttpAnswer, type HttpRequest, ok, Refusal } from '../http/messages.ts'
import type { State } from '../state.ts'
import { messageOf, shownOf } from './message.ts'
import { apiRefusal } from './refusals.ts'
import { showRefused } from './refused.ts'
import { inCase, reportProgress } from './statuses.ts'
import { renderTemplate } from './templates.ts'
import { readObject, readSend, type Send } from './validation.ts'
import { isWindowOpen } from './window.ts'

/** POST /messages: form, key, window, template, in this order; then the message is on the phone. */
export async function sendMessage(state: State, request: HttpRequest): Promise<HttpAnswer> {
  const json = readObject(request, state.assumptions.validation)
  try {
    return await sendChecked(state, request, json)
  } catch (error) {
    if (error instanceof Refusal) showRefused(state, json, error)
    throw error
  }
}

async function sendChecked(state: State, request: HttpRequest, json: JsonObject): Promise<HttpAnswer> {
  const send = readSend(json, state.assumptions.validation)
  const fault = state.faults.take('send', send.to)
  if (fault?.rule.do === 'status') throw failureOf(fault)
  try {
    const answer = await sendOnce(state, request, send)
    return fault ? { ...answer, lost: true } : answer
  } catch (error) {
    fault?.giveBack()
    throw error
  }
}

/** The life of a key: in flight, settled, or released when the send fails (IDEM-02 to IDEM-05). */
async function sendOnce(state: State, request: HttpRequest, send: Send): Promise<HttpAnswer> {
  const key = request.headers[IDEMPOTENCY_KEY.toLowerCase()]
  if (typeof key !== 'string' || key === '') return accept(state, send)
  const claim = state.keys.claim(key, request.body)
  if (claim.is === 'in_flight')
    throw apiRefusal('idempotency_in_progress', 'A send with this key is still being processed.')
  if (claim.is === 'reused') throw apiRefusal('idempotency_key_reused', 'This key was used with a different body.')
  if (claim.is === 'settled') return { ...claim.answer, headers: { [IDEMPOTENCY_REPLAYED]: 'true' } }
  try {
    const answer = await accept(state, send)
    claim.settle(answer)
    return answer
  } catch (error) {
    claim.release()
    throw error
  }
}

async function accept(state: State, send: Send): Promise<HttpAnswer> {
  const phone = state.phones.of(send.to)
  if (send.type !== 'template' && !isWindowOpen(phone.lastInboundAt, state.clock.now()))
    throw apiRefusal(
      'outside_messaging_window',
      'The customer has not written within the last 24 hours; only a template can be sent.',
    )
  const template = send.type === 'template' ? renderTemplate(state, send) : undefined
  await upstream(state)
  const accepted = {
    id: state.ids.message(),
    upstreamId: state.ids.upstream(),
    status: inCase(state, 'sent'),
    at: state.clock.now(),
  }
  const message = messageOf(send, accepted, template)
  const shown = shownOf(send, accepted, template)
  phone.thread.push(shown)
  reportProgress(state, { customer: send.to, message, shown })
  return ok(message)
}

/** The upstream platform takes its time; a key is in flight meanwhile. */
async function upstream({ assumptions, schedule }: State): Promise<void> {
  if (assumptions.upstreamMs > 0) await new Promise<void>((resolve) => schedule.after(assumptions.upstreamMs, resolve))
}

function failureOf({ rule }: Fault): Refusal {
  const error = rule.on === 'send' ? errorOf(rule) : undefined
  if (error === undefined) throw new TypeError('a status rule without an error of the service')
  return new Refusal(error.status, { code: error.code, message: 'The emulator was told to answer this send so.' })
}
