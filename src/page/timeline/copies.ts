import { choicesOn } from '../../emulator/model/thread.ts'
import { playAsTest } from '../../testing/play/generate-test.ts'
import type { CustomerAct, PlayExpected, PlayStep } from '../../testing/play/file.ts'
import { actOf } from '../recorder/play-file.ts'
import { type Call, type Delivery, tappedIn, type ThreadItem } from '../wire/types.ts'

/** In the form of `switchhook inbox export`: `s.event(event, payload)` plays it, and `switchhook trigger --data` too. */
export function deliveryAsFixture(delivery: Delivery): string {
  const body = bodyOf(delivery)
  return JSON.stringify({ event: delivery.event, payload: jsonOf(body) ?? body }, null, 2)
}

export function callAsFixture({ method, path, status, request, response }: Call): string {
  const asked = { method, path, body: request.body === null ? null : (jsonOf(request.body) ?? request.body) }
  return JSON.stringify({ request: asked, response: { status, body: jsonOf(response.body) ?? response.body } }, null, 2)
}

/**
 * A delivery as a test: what a customer wrote is written again, with the replies that came to it; any other event is
 * delivered with its very payload. Undefined where that is no object, which nothing but a fault sends.
 */
export function deliveryAsTest(delivery: Delivery, thread: readonly ThreadItem[]): string | undefined {
  const at = thread.findIndex(({ id, direction }) => id === delivery.message && direction === 'INBOUND')
  const item = delivery.event === 'message.received' ? thread[at] : undefined
  const steps = writtenAgain(delivery, thread, item ? at : -1) ?? deliveredAgain(delivery, item && thread.slice(0, at))
  return steps && playAsTest({ switchhook: 1, name: nameOf(delivery, item), steps })
}

function nameOf({ event }: Delivery, item: ThreadItem | undefined): string {
  const said = item && (tappedIn(item)?.title ?? item.text)
  return said ? `answers “${said.replaceAll(/\s+/g, ' ').slice(0, 60)}”` : `takes ${event}`
}

/** What the customer did at that place of the thread, and first what put there what was tapped. */
function writtenAgain({ customer }: Delivery, thread: readonly ThreadItem[], at: number): PlayStep[] | undefined {
  const acts = customer === null ? undefined : actsTo(customer, thread, at)
  const last = acts?.pop()
  if (acts === undefined || last === undefined) return undefined
  const replies = repliesIn(thread.slice(at + 1))
  // Nobody has told here what its templates say: a recording knows.
  const known = !replies.some(({ template }) => template)
  return [...acts, { ...last, ...(known && { expect: replies.map(expectationOf) }) }]
}

/** Undefined where what was tapped is not there, or nothing that the customer did put it there. */
function actsTo(customer: string, thread: readonly ThreadItem[], at: number): CustomerAct[] | undefined {
  const item = thread[at]
  const act = item && actOf(customer, item, thread.slice(0, at))
  if (act === undefined || !('taps' in act)) return act && [act]
  const offered = thread.slice(0, at).findLastIndex((one) => offers(one, act.taps))
  const cause = thread.slice(0, Math.max(0, offered)).findLastIndex(({ direction }) => direction === 'INBOUND')
  const acts = actsTo(customer, thread, cause)
  return acts && [...acts, act]
}

/** By the option's title or its id, as a step names it. */
function offers(item: ThreadItem, option: string): boolean {
  return choicesOn([item]).some(({ id, title }) => title === option || id === option)
}

/** A message opens no window where it is delivered alone: what the customer wrote last `before` it does. */
function deliveredAgain(delivery: Delivery, before: readonly ThreadItem[] = []): PlayStep[] | undefined {
  const payload = jsonOf(bodyOf(delivery))
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return undefined
  const step = { event: delivery.event, payload: payload as Record<string, unknown> }
  const text = before.findLast(({ direction, kind }) => direction === 'INBOUND' && kind === 'text')
  const opening = delivery.customer !== null && text ? actOf(delivery.customer, text, []) : undefined
  return opening ? [opening, step] : [step]
}

/** What the app sent until the customer wrote again: nobody else's messages come by a call. */
function repliesIn(after: readonly ThreadItem[]): ThreadItem[] {
  const end = after.findIndex(({ direction }) => direction === 'INBOUND')
  return after.slice(0, end < 0 ? undefined : end).filter(({ call }) => call !== undefined)
}

function expectationOf({ text, refused }: ThreadItem): PlayExpected {
  return {
    ...(text !== null && text !== '' && { text }),
    ...(refused && { refused: refused.code ?? String(refused.status) }),
  }
}

/** As it was sent first: a fault may have changed it later. */
export function bodyOf({ attempts }: Delivery): string {
  return attempts[0]?.request.body ?? ''
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
