import type { KnownStatus, MessageOut } from '../../contract/index.ts'
import { shapeFor } from '../events/event.ts'
import { publish, tellSent } from '../events/publish.ts'
import { STATUS_SHAPES } from '../events/status.ts'
import type { State } from '../state.ts'
import { type ConnectedNumber, numberWithId } from './account.ts'
import { type Fate, MAGIC_RECIPIENTS } from './faults.ts'
import type { Phone, SentMessage } from './phones.ts'
import type { TaskOf } from './schedule.ts'
import type { ShownCode, ThreadItem } from './thread.ts'

/** A message that the upstream platform took. */
export interface Placed {
  readonly message: MessageOut
  readonly shown: ThreadItem
  /** Its one-time code, for the handset alone (OTP-06). */
  readonly code?: { readonly shown: ShownCode; readonly lifeMs: number } | undefined
}

/** Puts a message into the customer's thread, and lets it make its way to the handset. */
export function place(state: State, number: ConnectedNumber, customer: string, { message, shown, code }: Placed): void {
  const phone = state.phones.of(customer)
  const sent = { number: number.id, message, waiting: false }
  phone.sent.set(message.id, sent)
  if (code && arrivesAtOnce(phone)) phone.codes.push(code.shown)
  else if (code) phone.codesUnderWay.set(message.id, code.shown)
  state.account.contacts.add(customer)
  state.phones.show(customer, shown)
  beginProgress(state, phone, sent, code?.lifeMs)
}

/** What the app is told of a message, later: that it was sent, then how it fares (SEND-24). */
export function beginProgress(state: State, phone: Phone, { message }: SentMessage, codeLifeMs?: number): void {
  const about = { do: 'progress', customer: phone.customer, messageId: message.id } as const
  const { sent, delivered } = state.assumptions.statusAfterMs
  state.schedule.later(sent, { ...about, step: 'sent' })
  if (fateOf(phone) !== 'undelivered') state.schedule.later(delivered, { ...about, step: 'delivered' })
  // No attempt to bring a code to the handset outlives the code (OTP-09).
  if (codeLifeMs !== undefined) state.schedule.later(codeLifeMs, { ...about, step: 'expired' })
}

export function resumeProgress(state: State, { customer, messageId, step }: TaskOf<'progress'>): void {
  const phone = state.phones.of(customer)
  const sent = phone.sent.get(messageId)
  if (sent === undefined) return
  if (step === 'sent') {
    tellSent(state, phone, sent)
    reach('sent', state, phone, sent)
  } else if (statusOf(phone, sent) !== 'sent') return
  else if (step === 'delivered') arrive(state, phone, sent)
  else fail(state, phone, sent, 'The code expired before the handset could be reached.')
}

/** The message comes to the handset, unless that is off or the customer has blocked the business. */
export function arrive(state: State, phone: Phone, sent: SentMessage): void {
  if (phone.handset.blocked) return fail(state, phone, sent, 'The customer has blocked this number.')
  if (fateOf(phone) === 'failed') return fail(state, phone, sent, 'The handset could not be reached.')
  sent.waiting = !phone.handset.online
  state.phones.changed(phone.customer, shownOf(phone, sent))
  if (!sent.waiting) reach('delivered', state, phone, sent)
}

export function fail(state: State, phone: Phone, sent: SentMessage, reason: string): void {
  phone.codesUnderWay.delete(sent.message.id)
  const shown = shownOf(phone, sent)
  if (shown) shown.failureReason = reason
  reach('failed', state, phone, sent, reason)
}

/** Where a message stands, as the phone knows it. */
export function statusOf(phone: Phone, sent: SentMessage): string | null {
  return shownOf(phone, sent)?.status ?? null
}

function shownOf(phone: Phone, { message: { id } }: SentMessage): ThreadItem | undefined {
  return phone.thread.findLast((item) => item.id === id)
}

/** Whether it will stand on the handset at once. */
export function arrivesAtOnce(phone: Phone): boolean {
  return fateOf(phone) === 'delivered' && phone.handset.online && !phone.handset.blocked
}

function fateOf({ customer }: Pick<Phone, 'customer'>): Fate {
  return MAGIC_RECIPIENTS.get(customer)?.fate ?? 'delivered'
}

/** A status in the case that is due: the service's material shows both (SEND-17). */
export function inCase(state: Pick<State, 'assumptions' | 'turn'>, status: string): string {
  const { statusCase } = state.assumptions
  const upper = statusCase === 'mixed' ? state.turn.case++ % 2 === 0 : statusCase === 'upper'
  return upper ? status.toUpperCase() : status
}

/** The message has this status now; answers the deliveries that say so. */
export function reach(
  status: KnownStatus,
  state: State,
  phone: Phone,
  sent: SentMessage,
  failureReason?: string,
): string[] {
  const shown = shownOf(phone, sent)
  // Being told late that it was sent takes nothing back.
  if (shown && status !== 'sent') shown.status = status
  if (status === 'delivered') showCode(phone, sent)
  if (shown) state.phones.showAnew(phone.customer, shown)
  const number = numberWithId(state.account, sent.number)
  if (number === undefined || !isReported(state, status, shown)) return []

  const { message } = sent
  const now = state.clock.now()
  const createdAt = Date.parse(message.created_at)
  const change = {
    messageId: message.id,
    upstreamId: message.wa_message_id ?? '',
    customer: phone.customer,
    messageType: message.message_type,
    status: inCase(state, status),
    // It was sent when the upstream platform took it, which the answer to the send said already.
    at: status === 'sent' ? createdAt : now,
    createdAt,
    ...(failureReason !== undefined && { failureReason }),
  }
  return publish(state, { name: 'message.status', customer: phone.customer, number, message: message.id }, (about) =>
    shapeFor(STATUS_SHAPES, state.turn.status++, state.assumptions.payloadShape)(change, about),
  )
}

/** The specification names four statuses for the event and five for the message, and says "a message you sent". */
function isReported({ assumptions }: State, status: KnownStatus, shown: ThreadItem | undefined): boolean {
  if (status === 'played' && assumptions.playedStatus === 'not_reported') return false
  return shown?.by === undefined || assumptions.statusesOf === 'all'
}

function showCode(phone: Phone, { message: { id } }: SentMessage): void {
  const code = phone.codesUnderWay.get(id)
  if (code) phone.codes.push(code)
  phone.codesUnderWay.delete(id)
}
