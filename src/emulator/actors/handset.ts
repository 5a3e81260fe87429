import { z } from 'zod'
import { OUTBOUND_KINDS, isMessageType } from '../../contract/index.ts'
import { refuse } from '../http/messages.ts'
import type { Handset, Phone, SentMessage } from '../model/phones.ts'
import { arrive, fail, reach, statusOf } from '../model/progress.ts'
import type { State } from '../state.ts'

export const statusSchema = z
  .strictObject({
    status: z.enum(['delivered', 'read', 'played', 'failed']),
    /** Default: every message that has not come so far and can. */
    messageId: z.string().optional(),
    /** Why it failed, in words. */
    reason: z.string().min(1).optional(),
  })
  .refine((it) => it.reason === undefined || it.status === 'failed', {
    path: ['reason'],
    message: 'goes with failed alone',
  })

export type StatusWanted = z.output<typeof statusSchema>

export type Moved = { readonly messageIds: string[] }

/** From which statuses each can be reached, and what it passes on the way. */
const WAY = {
  delivered: { from: ['sent'], by: ['delivered'] },
  read: { from: ['sent', 'delivered'], by: ['delivered', 'read'] },
  played: { from: ['sent', 'delivered', 'read'], by: ['delivered', 'read', 'played'] },
  failed: { from: ['sent'], by: [] },
} as const

/** The customer reads or plays what came, or a message is delivered or fails by hand. */
export function moveOn(state: State, phone: Phone, { status, messageId, reason }: StatusWanted): Moved {
  const messages = messageId === undefined ? all(phone, status) : [named(phone, messageId, status)]
  if (status !== 'failed' && !phone.handset.online)
    throw refuse(409, 'handset_offline', 'The handset is offline: nothing reaches it until it is back.')
  for (const sent of messages)
    if (status === 'failed') fail(state, phone, sent, reason ?? 'The emulator was told to let it fail.')
    else walk(state, phone, sent, status)
  return { messageIds: messages.map(({ message }) => message.id) }
}

/** Every status on the way, as far as the customer lets the business know. */
function walk(state: State, phone: Phone, sent: SentMessage, status: 'delivered' | 'read' | 'played'): void {
  const came = statusOf(phone, sent)
  const order: readonly string[] = WAY.played.by
  for (const step of WAY[status].by) {
    if (order.indexOf(step) <= order.indexOf(came ?? '')) continue
    if (step === 'read' && (statusOf(phone, sent) === 'failed' || !phone.handset.receipts)) return
    if (step === 'delivered' && status !== 'delivered') arrive(state, phone, sent)
    else reach(step, state, phone, sent)
  }
}

function all(phone: Phone, status: StatusWanted['status']): SentMessage[] {
  return [...phone.sent.values()].filter((sent) => whyNot(phone, sent, status) === undefined)
}

function named(phone: Phone, messageId: string, status: StatusWanted['status']): SentMessage {
  const found = phone.sent.get(messageId)
  if (found === undefined) throw refuse(404, 'not_found', `No message ${messageId} was sent to this customer.`)
  const reason = whyNot(phone, found, status)
  if (reason !== undefined) throw refuse(409, 'not_possible', reason)
  return found
}

function whyNot(phone: Phone, sent: SentMessage, status: StatusWanted['status']): string | undefined {
  const came = statusOf(phone, sent) ?? ''
  if (status === 'played' && !isPlayable(sent)) return 'Only a voice note can be played.'
  const from: readonly string[] = WAY[status].from
  return from.includes(came) ? undefined : `A message that is ${came} does not become ${status}.`
}

function isPlayable({ message: { message_type: type } }: SentMessage): boolean {
  return isMessageType(type) && OUTBOUND_KINDS[type].playable
}

/** Changes what is given. What waited is delivered when the handset is back, oldest first. */
export function changeHandset(state: State, phone: Phone, change: Partial<Handset>): Handset {
  Object.assign(phone.handset, change)
  state.phones.changed(phone.customer)
  state.tell('handset', { customer: phone.customer, handset: { ...phone.handset } })
  if (phone.handset.online)
    for (const sent of phone.sent.values())
      if (sent.waiting && statusOf(phone, sent) === 'sent') arrive(state, phone, sent)
  return { ...phone.handset }
}
