import { z } from 'zod'
import { SIGNAL_KINDS, type SignalKind } from '../../service/message-kinds.ts'
import { refuse } from '../http/messages.ts'
import type { Phone } from '../model/phones.ts'
import type { Inbound } from '../model/thread.ts'

/** Inputs that are not messages: reactions, edits, deletions and calls. */
export const signalSchema = z.strictObject({
  kind: z.enum(Object.keys(SIGNAL_KINDS) as SignalKind[]),
  /** The emoji of a reaction. Without it the reaction is removed. */
  emoji: z.string().optional(),
  /** The new text of an edited message. */
  text: z.string().optional(),
  /** The id of the message concerned. Default: the business's newest; for `edited` and `deleted`, the customer's. */
  messageId: z.string().optional(),
})

export const locationSchema = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  name: z.string().optional(),
  address: z.string().optional(),
})

export const contactsSchema = z.array(z.strictObject({ name: z.string(), phone: z.string() })).min(1)

export type Signal = z.infer<typeof signalSchema>

type SignalContent = Pick<Inbound, 'kind' | 'text' | 'reaction'> & Partial<Pick<Inbound, 'id' | 'upstreamId'>>

/** An edited or deleted message keeps its ids. */
export function signalContent({ kind, emoji = '', text, messageId }: Signal, phone: Phone): SignalContent {
  if (kind === 'reaction') return { kind, reaction: { emoji, to: messageId ?? newest(phone, { own: false }) } }
  if (kind !== 'edited' && kind !== 'deleted') return { kind }
  const id = messageId ?? newest(phone, { own: true })
  const upstreamId = phone.written.get(id)
  if (upstreamId === undefined) throw refuse(404, 'not_found', `The customer has not written a message ${id}.`)
  return { kind, id, upstreamId, ...(kind === 'edited' && { text: text ?? '' }) }
}

function newest({ thread, written }: Phone, { own }: { readonly own: boolean }): string {
  const shown = thread.filter(({ refused }) => refused === undefined).toReversed()
  const mine = shown.find(({ id }) => written.has(id))
  const found = own ? mine : (shown.find(({ direction }) => direction === 'OUTBOUND') ?? mine)
  if (found) return found.id
  throw refuse(409, 'not_on_phone', 'The phone shows no message that this could be about.')
}
