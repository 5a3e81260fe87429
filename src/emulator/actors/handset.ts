import { z } from 'zod'
import { isMessageType, OUTBOUND_KINDS } from '../../contract/index.ts'
import { refuse } from '../http/messages.ts'
import type { Model } from '../model/model.ts'
import type { Handset, Phone, SentMessage } from '../model/phones.ts'
import { arrive, fail, reach, statusOf } from '../model/progress.ts'

/** Switches a handset. Messages that waited are delivered when it is back, oldest first. */
export function switchHandset(model: Model, phone: Phone, change: Partial<Handset>): Handset {
  Object.assign(phone.handset, change)
  model.announce({ kind: 'handset', customer: phone.customer, handset: { ...phone.handset } })
  if (phone.handset.online)
    for (const sent of phone.sent.values())
      if (sent.waiting && statusOf(phone, sent) === 'sent') arrive(model, phone, sent)
  return { ...phone.handset }
}

export const statusSchema = z
  .strictObject({
    status: z.enum(['delivered', 'read', 'played', 'failed']),
    /** Default: every message that can reach the status and has not yet. */
    messageId: z.string().optional(),
    /** Why the message failed, in words. */
    reason: z.string().min(1).optional(),
  })
  .refine((it) => it.reason === undefined || it.status === 'failed', {
    path: ['reason'],
    message: 'goes with failed alone',
  })

type WantedStatus = z.output<typeof statusSchema>

export type Moved = { readonly messageIds: string[] }

/** For each status: the statuses from which a message can reach it, and those that it passes on the way. */
const WAY = {
  delivered: { from: ['sent'], by: ['delivered'] },
  read: { from: ['sent', 'delivered'], by: ['delivered', 'read'] },
  played: { from: ['sent', 'delivered', 'read'], by: ['delivered', 'read', 'played'] },
  failed: { from: ['sent'], by: [] },
} as const

/** Moves messages on by hand: the customer reads or plays them, or they are delivered or fail. */
export function moveMessages(model: Model, phone: Phone, { status, messageId, reason }: WantedStatus): Moved {
  const messages = messageId === undefined ? allMovable(phone, status) : [movable(phone, messageId, status)]
  if (status !== 'failed' && !phone.handset.online)
    throw refuse(409, 'handset_offline', 'The handset is offline: nothing reaches it until it is back.')
  for (const sent of messages)
    if (status === 'failed') fail(model, phone, sent, reason ?? 'The emulator was told to let it fail.')
    else moveMessage(model, phone, sent, status)
  return { messageIds: messages.map(({ message }) => message.id) }
}

/** Takes a message through every status on the way, as far as the handset gives receipts. */
function moveMessage(model: Model, phone: Phone, sent: SentMessage, status: 'delivered' | 'read' | 'played'): void {
  const before = statusOf(phone, sent)
  const order: readonly string[] = WAY.played.by
  for (const step of WAY[status].by) {
    if (order.indexOf(step) <= order.indexOf(before ?? '')) continue
    if (step === 'read' && (statusOf(phone, sent) === 'failed' || !phone.handset.receipts)) return
    if (step === 'delivered' && status !== 'delivered') arrive(model, phone, sent)
    else reach(step, model, phone, sent)
  }
}

function allMovable(phone: Phone, status: WantedStatus['status']): SentMessage[] {
  return [...phone.sent.values()].filter((sent) => obstacleTo(phone, sent, status) === undefined)
}

function movable(phone: Phone, messageId: string, status: WantedStatus['status']): SentMessage {
  const found = phone.sent.get(messageId)
  if (found === undefined) throw refuse(404, 'not_found', `No message ${messageId} was sent to this customer.`)
  const reason = obstacleTo(phone, found, status)
  if (reason !== undefined) throw refuse(409, 'not_possible', reason)
  return found
}

/** Why a message cannot reach a status, in words; undefined if it can. */
function obstacleTo(phone: Phone, sent: SentMessage, status: WantedStatus['status']): string | undefined {
  const before = statusOf(phone, sent) ?? ''
  if (status === 'played' && !isPlayable(sent)) return 'Only a voice note can be played.'
  const from: readonly string[] = WAY[status].from
  return from.includes(before) ? undefined : `A message that is ${before} does not become ${status}.`
}

function isPlayable({ message: { message_type: type } }: SentMessage): boolean {
  return isMessageType(type) && OUTBOUND_KINDS[type].playable
}
