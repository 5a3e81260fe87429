import { z } from 'zod'
import {
  INBOUND_MEDIA_KINDS,
  isMessageType,
  isSignal,
  OUTBOUND_KINDS,
  SILENT_SIGNALS,
} from '../../service/message-kinds.ts'
import { WINDOW_MS } from '../../service/endpoints.ts'
import { refuse } from '../http/messages.ts'
import { type ConnectedNumber, numberMember } from '../model/account.ts'
import { iso } from '../model/emulated-clock.ts'
import type { Model } from '../model/model.ts'
import { isOption } from '../../service/tap-id.ts'
import { type Inbound, type PhoneChoice, type ThreadItem, choicesOn } from '../model/thread.ts'
import { contactsSchema, locationSchema, signalContent, signalSchema } from './signals.ts'
import { runAgentAfterEvent, runAgentBeforeEvent } from './agent.ts'
import type { Handset, Phone, SentMessage } from '../model/phones.ts'
import { arrive, fail, reach, statusOf } from '../model/progress.ts'

const tapSchema = z.union([
  z.string().min(1),
  z.strictObject({ id: z.string().min(1), title: z.string().min(1).optional() }),
])

const mediaSchema = z.strictObject({
  kind: z.enum(INBOUND_MEDIA_KINDS),
  url: z.string().regex(/^https?:\/\//i, 'must be an http or https address'),
  mime: z.string().optional(),
  filename: z.string().optional(),
  caption: z.string().optional(),
  durationMs: z.int().min(0).optional(),
})

const CONTENTS = ['text', 'tap', 'quickReply', 'media', 'location', 'contacts', 'signal'] as const

/** A tap given as `{id, title?}` need not be an option that the phone shows. */
export const writingSchema = z
  .strictObject({
    text: z.string().min(1).optional(),
    tap: tapSchema.optional(),
    quickReply: tapSchema.optional(),
    media: mediaSchema.optional(),
    location: locationSchema.optional(),
    contacts: contactsSchema.optional(),
    signal: signalSchema.optional(),
    /** The id of the connected number that the customer writes to; default: the first. */
    number: z.string().optional(),
  })
  .refine((given) => CONTENTS.filter((name) => given[name] !== undefined).length === 1, {
    message: `needs exactly one of ${CONTENTS.slice(0, -1).join(', ')} and ${CONTENTS.at(-1)}`,
  })

export type Writing = z.infer<typeof writingSchema>

export type Written = { readonly messageId: string; readonly deliveryIds: string[] }

/** With `callbackOverride` the message goes to another receiver: no subscription and no agent gets it (DEL-10). */
export function writeAsCustomer(model: Model, number: ConnectedNumber, customer: string, writing: Writing): Written {
  const phone = model.phones.of(customer)
  const content = readContent(writing, phone)
  const at = model.clock.now()
  const message: Inbound = {
    id: model.ids.message(),
    upstreamId: model.ids.upstream(),
    ...content,
    customer,
    name: `Customer ${customer.slice(-3)}`,
    at,
  }
  if (!isSignal(message.kind)) phone.written.set(message.id, message.upstreamId)
  if (!number.callbackOverride && opensWindow(message, model)) openWindow(model, number, customer)
  model.phones.show(customer, { ...threadItemOf(message), ...numberMember(model.account, number) })
  if (number.callbackOverride) return { messageId: message.id, deliveryIds: [] }

  const written = { number, customer, text: isSignal(message.kind) ? undefined : message.text }
  runAgentBeforeEvent(model, written)
  const deliveryIds = model.publish({ kind: 'received', number, message })
  runAgentAfterEvent(model, written)
  return { messageId: message.id, deliveryIds }
}

function opensWindow({ kind }: Inbound, { assumptions }: Model): boolean {
  return !isSignal(kind) || (assumptions.signalWindow === 'opens' && !SILENT_SIGNALS.has(kind))
}

export function openWindow(model: Model, number: ConnectedNumber, customer: string): void {
  const at = model.clock.now()
  model.phones.of(customer).lastInboundAt.set(number.id, at)
  model.account.contacts.add(customer)
  model.publish({ kind: 'window', window: { customer, number: number.id, closesAt: iso(at + WINDOW_MS) } })
}

type Content = Omit<Inbound, 'id' | 'upstreamId' | 'customer' | 'name' | 'at'> &
  Partial<Pick<Inbound, 'id' | 'upstreamId'>>

function readContent(writing: Writing, phone: Phone): Content {
  if (writing.signal !== undefined) return signalContent(writing.signal, phone)
  if (writing.location !== undefined) return { kind: 'location', location: writing.location }
  if (writing.contacts !== undefined) return { kind: 'contacts', contacts: writing.contacts }
  if (writing.text !== undefined) return { kind: 'text', text: writing.text }
  if (writing.tap !== undefined) return tapContent(findChoice(writing.tap, phone, 'button_reply'))
  if (writing.quickReply !== undefined) return tapContent(findChoice(writing.quickReply, phone, 'quick_reply'))
  if (writing.media === undefined) throw new TypeError('a message without content')
  const { kind, ...media } = writing.media
  return { kind, media }
}

function tapContent({ how, id, title }: PhoneChoice): Content {
  if (how === 'quick_reply') return { kind: 'button', quickReply: { payload: id, title } }
  return { kind: 'interactive', tapped: { type: how, id, title } }
}

/** Finds the option with this id on the phone. A `tap` also finds quick replies. A `quickReply` finds only those. */
function findChoice(
  tap: z.infer<typeof tapSchema>,
  { thread }: Phone,
  how: 'button_reply' | 'quick_reply',
): PhoneChoice {
  if (typeof tap === 'object') return { how, id: tap.id, title: tap.title ?? tap.id }
  const choices = choicesOn(thread).filter((choice) => how !== 'quick_reply' || choice.how === how)
  const found = choices.find((choice) => isOption(choice.id, tap))
  if (found) return found
  const offered = choices.length > 0 ? choices.map((choice) => choice.id).join(', ') : 'nothing'
  throw refuse(
    409,
    'not_on_phone',
    `The phone shows no option ${tap}; it shows: ${offered}. A tap as {"id": …} needs no option on the phone.`,
  )
}

function threadItemOf({ id, kind, at, text, tapped, quickReply, media, ...more }: Inbound): ThreadItem {
  const content = text ?? tapped?.title ?? quickReply?.title ?? media?.caption ?? shownText(more) ?? null
  return {
    id,
    direction: 'INBOUND',
    kind,
    text: content,
    content,
    status: null,
    at: iso(at),
    ...(tapped && { interactive: tapped }),
    ...(media && {
      media: {
        kind,
        url: media.url,
        ...(media.caption !== undefined && { caption: media.caption }),
        ...(media.filename !== undefined && { filename: media.filename }),
      },
    }),
  }
}

function shownText({ reaction, location, contacts }: Partial<Inbound>): string | undefined {
  if (reaction) return reaction.emoji
  if (contacts) return contacts.map(({ name, phone }) => `${name} ${phone}`).join(', ')
  if (!location) return undefined
  const { name, address, latitude, longitude } = location
  return [name, address, `${latitude}, ${longitude}`].filter((part) => part !== undefined).join(' · ')
}

export function switchHandset(model: Model, phone: Phone, change: Partial<Handset>): Handset {
  Object.assign(phone.handset, change)
  model.publish({ kind: 'handset', customer: phone.customer, handset: { ...phone.handset } })
  if (phone.handset.online)
    for (const sent of phone.sent.values())
      if (sent.waiting && statusOf(phone, sent) === 'sent') arrive(model, phone, sent)
  return { ...phone.handset }
}

export const statusSchema = z.strictObject({
  status: z.enum(['read', 'played', 'failed']),
  /** Default: every message that can get this status now. */
  messageId: z.string().optional(),
})

type WantedStatus = z.output<typeof statusSchema>

export type Moved = { readonly messageIds: string[] }

/** For each status that a customer can cause: the statuses that the message may have before it. */
const BEFORE: Readonly<Record<WantedStatus['status'], readonly string[]>> = {
  read: ['sent', 'delivered'],
  played: ['sent', 'delivered', 'read'],
  failed: ['sent'],
}

export function moveMessages(model: Model, phone: Phone, { status, messageId }: WantedStatus): Moved {
  const messages =
    messageId === undefined
      ? [...phone.sent.values()].filter((sent) => reasonAgainst(phone, sent, status) === undefined)
      : [movable(phone, messageId, status)]
  if (status !== 'failed' && !phone.handset.online)
    throw refuse(409, 'handset_offline', 'The handset is offline: nothing reaches it until it is online again.')
  for (const sent of messages)
    if (status === 'failed') fail(model, phone, sent, 'You let the message fail in the emulator.')
    else moveMessage(model, phone, sent, status)
  return { messageIds: messages.map(({ message }) => message.id) }
}

/** A message gets each status on the way: one that is still `sent` is delivered first. */
function moveMessage(model: Model, phone: Phone, sent: SentMessage, status: 'read' | 'played'): void {
  if (statusOf(phone, sent) === 'sent') arrive(model, phone, sent)
  if (statusOf(phone, sent) === 'delivered') reach('read', model, phone, sent)
  if (status === 'played' && statusOf(phone, sent) === 'read') reach('played', model, phone, sent)
}

function movable(phone: Phone, messageId: string, status: WantedStatus['status']): SentMessage {
  const found = phone.sent.get(messageId)
  if (found === undefined) throw refuse(404, 'not_found', `No message ${messageId} was sent to this customer.`)
  const reason = reasonAgainst(phone, found, status)
  if (reason !== undefined) throw refuse(409, 'not_possible', reason)
  return found
}

function reasonAgainst(phone: Phone, sent: SentMessage, status: WantedStatus['status']): string | undefined {
  const before = statusOf(phone, sent) ?? ''
  if (status === 'played' && !isPlayable(sent)) return 'Only a voice note can be played.'
  return BEFORE[status].includes(before) ? undefined : `A message cannot change from ${before} to ${status}.`
}

function isPlayable({ message: { message_type: type } }: SentMessage): boolean {
  return isMessageType(type) && OUTBOUND_KINDS[type].playable
}
