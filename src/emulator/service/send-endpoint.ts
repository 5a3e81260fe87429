import { IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED, RECIPIENT_FORM } from '../../service/endpoints.ts'
import { bodyText } from '../../service/body-text.ts'
import { isMessageType } from '../../service/message-kinds.ts'
import { type HttpAnswer, type HttpRequest, type JsonObject, Refusal, ok } from '../http/messages.ts'
import { type BusinessNumber, type ConnectedNumber, numberMember } from '../model/account.ts'
import { iso } from '../model/emulated-clock.ts'
import type { SentBody } from '../model/keys.ts'
import type { Model } from '../model/model.ts'
import { acceptMessage } from '../model/progress.ts'
import { type FilledTemplate, approve, needsWindow } from './approve.ts'
import { acceptance, messageOf, threadItemOf } from './message.ts'
import { type Send, apiRefusal, namesCodeTemplate, readBody, readSend } from './checks.ts'
import { type SendFaultRule, errorOf } from '../model/faults.ts'

/** Checks the form of the body, armed faults, the key and the rules of `approve`, in this order. */
export async function sendMessage(model: Model, request: HttpRequest, number: ConnectedNumber): Promise<HttpAnswer> {
  const body = readBody(request, model.assumptions)
  try {
    return await sendBody(model, request, number, body)
  } catch (error) {
    if (error instanceof Refusal) showRefused(model, { number, json: body.json, refusal: error, call: request.call })
    throw error
  }
}

async function sendBody(
  model: Model,
  request: HttpRequest,
  number: ConnectedNumber,
  { raw, json }: SentBody,
): Promise<HttpAnswer> {
  const templates = model.templates.of(number.id)
  const send = readSend(json, templates, model.assumptions)
  const body = { raw, json, containsCode: namesCodeTemplate(json, templates) }
  const key = keyOf(request)
  const takeFault = (fits: (rule: SendFaultRule) => boolean) =>
    model.faults.take({ on: 'send', customer: send.to, fits })
  const unsent = takeFault((rule) => isBeforeAcceptance(rule) && canMeet(rule, send))
  if (unsent !== undefined) return answerUnsent(unsent)
  const accepting = () => accept(model, number, send, request.call)
  const answer = key === undefined ? await accepting() : await sendOnce(model, { number, key, body }, accepting)
  // Faults that spoil the answer apply only to accepted sends: a refused send does not use them up.
  const spoilt = takeFault((rule) => !isBeforeAcceptance(rule))
  return spoilt === undefined ? answer : spoilAnswer(answer, spoilt)
}

function keyOf({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const key = headers[IDEMPOTENCY_KEY.toLowerCase()]
  return typeof key === 'string' && key !== '' ? key : undefined
}

/** Sends at most once under a key that is remembered (IDEM-02 to IDEM-05). */
async function sendOnce(
  model: Model,
  { number, key, body }: { readonly number: ConnectedNumber; readonly key: string; readonly body: SentBody },
  accepting: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const known = model.keys.claim(number.id, key, body)
  if (known === 'in_flight')
    throw apiRefusal('idempotency_in_progress', 'A send with this key is still being processed.')
  if (known === 'reused') throw apiRefusal('idempotency_key_reused', 'This key was used with a different body.')
  if (known) return { ...known, headers: { [IDEMPOTENCY_REPLAYED]: 'true' } }
  try {
    const answer = await accepting()
    model.keys.settle(number.id, key, answer)
    return answer
  } catch (error) {
    model.keys.release(number.id, key)
    throw error
  }
}

async function accept(model: Model, number: ConnectedNumber, send: Send, call?: string): Promise<HttpAnswer> {
  const template = approve(model, number, send)
  await waitForUpstream(model)
  const accepted = acceptance(model)
  const message = messageOf(send, accepted, template)
  const shown = {
    ...threadItemOf(send, accepted, template),
    ...numberMember(model.account, number),
    ...(call !== undefined && { call }),
  }
  acceptMessage(model, number, send.to, { message, shown, code: codeOf(template, accepted) })
  model.agent.pause(number, send.to)
  return ok(message)
}

function codeOf(template: FilledTemplate | undefined, { id, at }: { id: string; at: number }) {
  if (template?.code === undefined) return undefined
  const { clear, lifeMs } = template.code
  return { shown: { messageId: id, code: clear, text: template.text, at: iso(at) }, lifeMs }
}

/** After a reset this never resolves, and the send gets no answer. */
async function waitForUpstream({ assumptions, schedule }: Model): Promise<void> {
  if (assumptions.upstreamMs > 0) await new Promise<void>((resolve) => schedule.later(assumptions.upstreamMs, resolve))
}

interface RefusedSend {
  readonly number: BusinessNumber
  readonly json: JsonObject
  readonly refusal: Refusal
  readonly call: string | undefined
}

/** Adds a refused send to the thread. A repeat of a send under way is not shown, because that send may succeed. */
function showRefused(model: Model, { number, json, refusal, call }: RefusedSend): void {
  const to = json['to']
  if (typeof to !== 'string' || !RECIPIENT_FORM.test(to) || refusal.code === 'idempotency_in_progress') return
  const { type = 'text' } = json
  // A template shows no text: a parameter may be a one-time code (OTP-06).
  const text = isMessageType(type) ? (bodyText(json) ?? null) : null
  model.phones.show(to, {
    id: model.ids.refused(),
    direction: 'OUTBOUND',
    kind: typeof type === 'string' ? type : 'text',
    text,
    content: text,
    status: null,
    at: iso(model.clock.now()),
    refused: { status: refusal.status, code: refusal.code ?? null, message: refusal.message },
    ...numberMember(model.account, number),
    ...(call !== undefined && { call }),
  })
}

/** False if the service would never answer this send with the rule's error: a template needs no window (GEN-05). */
function canMeet(rule: SendFaultRule, send: Pick<Send, 'type'>): boolean {
  return needsWindow(send.type) || rule.do !== 'status' || errorOf(rule)?.code !== 'outside_messaging_window'
}

function isBeforeAcceptance({ do: fault }: SendFaultRule): boolean {
  return fault === 'status' || fault === 'cut_before' || fault === 'time_out'
}

function answerUnsent(rule: SendFaultRule): HttpAnswer {
  const error = errorOf(rule)
  if (error === undefined) return { status: 500, body: '', spoilt: rule.do === 'time_out' ? 'never' : 'cut' }
  throw new Refusal(error.status, {
    code: error.code,
    message: `The emulator gives this answer on purpose: you armed \`${rule.do}\`.`,
  })
}

const NO_JSON = '<html><body>200 OK</body></html>'

function spoilAnswer(answer: HttpAnswer, rule: SendFaultRule): HttpAnswer {
  if (rule.do === 'unreadable_answer') return { ...answer, body: NO_JSON }
  return { ...answer, spoilt: rule.do === 'late_answer' ? 'never' : 'cut' }
}
