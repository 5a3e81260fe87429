import { choicesOn } from '../../emulator/model/thread.ts'
import type { CustomerAct, PlayExpected, PlayStep } from '../../testing/play/file.ts'
import { playAsTest } from '../../testing/play/generate-test.ts'
import { toCustomerAct } from '../recorder/play-file.ts'
import { parseJson, parseJsonObject } from '../../ui/text/json.ts'
import { type Call, type Delivery, tappedOption, type ThreadItem } from '../wire/types.ts'

/** Writes a delivery like `switchhook inbox export`, for `s.event(event, payload)` and `switchhook trigger --data`. */
export function deliveryAsFixture(delivery: Delivery): string {
  const body = firstBody(delivery)
  return JSON.stringify({ event: delivery.event, payload: parseJson(body) ?? body }, null, 2)
}

export function callAsFixture({ method, path, status, request, response }: Call): string {
  const sent = { method, path, body: request.body === null ? null : (parseJson(request.body) ?? request.body) }
  return JSON.stringify(
    { request: sent, response: { status, body: parseJson(response.body) ?? response.body } },
    null,
    2,
  )
}

/**
 * Writes a delivery as a test. A customer's message becomes steps that write it again and expect the same replies; any
 * other event is delivered with its payload. Undefined if the payload is no object, which only a fault sends.
 */
export function deliveryAsTest(delivery: Delivery, thread: readonly ThreadItem[]): string | undefined {
  const at = thread.findIndex(({ id, direction }) => id === delivery.message && direction === 'INBOUND')
  const item = delivery.event === 'message.received' ? thread[at] : undefined
  const steps = messageSteps(delivery, thread, item ? at : -1) ?? eventSteps(delivery, item && thread.slice(0, at))
  return steps && playAsTest({ switchhook: 1, name: testName(delivery, item), steps })
}

function testName({ event }: Delivery, item: ThreadItem | undefined): string {
  const text = item && (tappedOption(item)?.title ?? item.text)
  return text ? `answers “${text.replaceAll(/\s+/g, ' ').slice(0, 60)}”` : `takes ${event}`
}

/** The steps that lead to the message at index `at` of the thread, with the replies to it. */
function messageSteps({ customer }: Delivery, thread: readonly ThreadItem[], at: number): PlayStep[] | undefined {
  const acts = customer === null ? undefined : actsLeadingTo(customer, thread, at)
  const last = acts?.pop()
  if (acts === undefined || last === undefined) return undefined
  const replies = repliesUntilNextMessage(thread.slice(at + 1))
  // The texts of templates are not known here, so such replies are not expected. A recording knows them.
  const isComplete = !replies.some(({ template }) => template)
  return [...acts, { ...last, ...(isComplete && { expect: replies.map(expectationOf) }) }]
}

/** The acts that end in a message: before a tap, the acts that made the option appear. Undefined if they are not found. */
function actsLeadingTo(customer: string, thread: readonly ThreadItem[], at: number): CustomerAct[] | undefined {
  const item = thread[at]
  const act = item && toCustomerAct(customer, item, thread.slice(0, at))
  if (act === undefined || !('taps' in act)) return act && [act]
  const offered = thread.slice(0, at).findLastIndex((one) => offers(one, act.taps))
  const cause = thread.slice(0, Math.max(0, offered)).findLastIndex(({ direction }) => direction === 'INBOUND')
  const acts = actsLeadingTo(customer, thread, cause)
  return acts && [...acts, act]
}

/** Tells if an item offers an option, which a step names by its title or its id. */
function offers(item: ThreadItem, option: string): boolean {
  return choicesOn([item]).some(({ id, title }) => title === option || id === option)
}

/** Delivers the payload, after the customer's last text: an event that is delivered alone opens no window. */
function eventSteps(delivery: Delivery, before: readonly ThreadItem[] = []): PlayStep[] | undefined {
  const payload = parseJsonObject(firstBody(delivery))
  if (payload === undefined) return undefined
  const step = { event: delivery.event, payload }
  const text = before.findLast(({ direction, kind }) => direction === 'INBOUND' && kind === 'text')
  const opening = delivery.customer !== null && text ? toCustomerAct(delivery.customer, text, []) : undefined
  return opening ? [opening, step] : [step]
}

/** The app's sends until the customer's next message. Only the app sends by a call. */
function repliesUntilNextMessage(after: readonly ThreadItem[]): ThreadItem[] {
  const end = after.findIndex(({ direction }) => direction === 'INBOUND')
  return after.slice(0, end < 0 ? undefined : end).filter(({ call }) => call !== undefined)
}

function expectationOf({ text, refused }: ThreadItem): PlayExpected {
  return {
    ...(text !== null && text !== '' && { text }),
    ...(refused && { refused: refused.code ?? String(refused.status) }),
  }
}

/** The body of the first attempt: a fault may have changed later ones. */
export function firstBody({ attempts }: Delivery): string {
  return attempts[0]?.request.body ?? ''
}
