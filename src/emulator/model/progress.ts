import type { KnownStatus } from '../../service/delivery.ts'
import type { MessageOut } from '../../service/answers.ts'
import type { ConnectedNumber } from './account.ts'
import type { Model } from './model.ts'
import type { Phone, SentMessage } from './phones.ts'
import type { ShownCode, ThreadItem } from './thread.ts'

interface AcceptedMessage {
  readonly message: MessageOut
  readonly shown: ThreadItem
  readonly code?: { readonly shown: ShownCode; readonly lifeMs: number } | undefined
}

export function acceptMessage(
  model: Model,
  number: ConnectedNumber,
  customer: string,
  { message, shown, code }: AcceptedMessage,
): void {
  const phone = model.phones.of(customer)
  const sent = { number: number.id, message, waiting: false }
  phone.sent.set(message.id, sent)
  if (code && phone.handset.online && !phone.handset.blocked) phone.codes.push(code.shown)
  else if (code) phone.codesUnderWay.set(message.id, code.shown)
  model.account.contacts.add(customer)
  model.phones.show(customer, shown)
  scheduleProgress(model, phone, sent, code?.lifeMs)
}

/** Schedules the statuses of a message: `sent`, then `delivered` (SEND-24). */
function scheduleProgress(model: Model, phone: Phone, sent: SentMessage, codeLifeMs?: number): void {
  const { sent: sentAfter, delivered: deliveredAfter } = model.assumptions.statusAfterMs
  const ifOnItsWay = (step: () => void) => () => {
    if (statusOf(phone, sent) === 'sent') step()
  }
  model.schedule.later(sentAfter, () => {
    model.publish({ kind: 'sent', phone, sent })
    reach('sent', model, phone, sent)
  })
  model.schedule.later(
    deliveredAfter,
    ifOnItsWay(() => arrive(model, phone, sent)),
  )
  // A code that has expired is not delivered any more (OTP-09).
  const expire = () => fail(model, phone, sent, 'The code expired before the handset could be reached.')
  if (codeLifeMs !== undefined) model.schedule.later(codeLifeMs, ifOnItsWay(expire))
}

export function arrive(model: Model, phone: Phone, sent: SentMessage): void {
  if (phone.handset.blocked) return fail(model, phone, sent, 'The customer has blocked this number.')
  sent.waiting = !phone.handset.online
  if (!sent.waiting) reach('delivered', model, phone, sent)
}

export function fail(model: Model, phone: Phone, sent: SentMessage, failureReason: string): void {
  phone.codesUnderWay.delete(sent.message.id)
  const item = itemOf(phone, sent)
  if (item) item.failureReason = failureReason
  reach('failed', model, phone, sent, failureReason)
}

export function reach(
  status: KnownStatus,
  model: Model,
  phone: Phone,
  sent: SentMessage,
  failureReason?: string,
): void {
  const item = itemOf(phone, sent)
  // `sent` may arrive after `delivered` or `read`, and must not replace them.
  if (item && status !== 'sent') item.status = status
  if (status === 'delivered') showCode(phone, sent)
  if (item) model.phones.changedItem(phone.customer, item)
  model.publish({ kind: 'status', phone, sent, status, failureReason })
}

export function statusOf(phone: Phone, sent: SentMessage): string | null {
  return itemOf(phone, sent)?.status ?? null
}

export function itemOf(phone: Phone, { message: { id } }: SentMessage): ThreadItem | undefined {
  return phone.thread.findLast((item) => item.id === id)
}

/** Writes a status in upper or lower case. The specification shows both, so `statusCase` decides (SEND-17). */
export function statusInCase(model: Pick<Model, 'assumptions' | 'rotation'>, status: string): string {
  const { statusCase } = model.assumptions
  const isUpper = statusCase === 'mixed' ? model.rotation('case') % 2 === 0 : statusCase === 'upper'
  return isUpper ? status.toUpperCase() : status
}

function showCode(phone: Phone, { message: { id } }: SentMessage): void {
  const code = phone.codesUnderWay.get(id)
  if (code) phone.codes.push(code)
  phone.codesUnderWay.delete(id)
}
