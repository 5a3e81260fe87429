import { z } from 'zod'
import { INBOUND_MEDIA_KINDS, WINDOW_MS } from '../../contract/index.ts'
import { iso, shapeFor } from '../events/event.ts'
import { publish, publishDeclared } from '../events/publish.ts'
import { type Inbound, RECEIVED_SHAPES } from '../events/received.ts'
import { refuse } from '../http/messages.ts'
import { type ConnectedNumber, beside, numberByIdOrFirst } from '../model/account.ts'
import { type PhoneChoice, type ThreadItem, choicesOn } from '../model/thread.ts'
import type { State } from '../state.ts'
import { hearFirst, hearLast } from './agent.ts'

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

/**
 * What a customer does: writes `text`, taps a button or row by its id (`tap`), answers with a template's quick
 * reply by its payload, or sends media. A tap given as `{id, title?}` needs no message that offers it.
 */
export const writingSchema = z
  .strictObject({
    text: z.string().min(1).optional(),
    tap: tapSchema.optional(),
    quickReply: tapSchema.optional(),
    media: mediaSchema.optional(),
    /** The id of the connected number that is written to; default: the first. */
    number: z.string().optional(),
  })
  .refine(
    ({ text, tap, quickReply, media }) => [text, tap, quickReply, media].filter((it) => it !== undefined).length === 1,
    {
      message: 'needs exactly one of text, tap, quickReply and media',
    },
  )

export type Writing = z.infer<typeof writingSchema>

export type Written = { readonly messageId: string; readonly deliveryIds: string[] }

/**
 * The customer writes: it stands in the thread, opens the window, and goes to every subscription. Under the callback
 * override the service hears nothing of it: neither its inbox nor its agent (DEL-10).
 */
export function writeAs(customer: string, writing: Writing, state: State): Written {
  const number = numberByIdOrFirst(state.account, writing.number)
  const phone = state.phones.of(customer)
  const said = whatIsSaid(writing, phone.thread)
  const at = state.clock.now()
  const message: Inbound = {
    ...said,
    id: state.ids.message(),
    upstreamId: state.ids.upstream(),
    customer,
    name: `Customer ${customer.slice(-3)}`,
    at,
  }
  if (!number.callbackOverride) {
    phone.lastInboundAt.set(number.id, at)
    state.account.contacts.add(customer)
    state.tell('window', { window: { customer, number: number.id, closesAt: iso(at + WINDOW_MS) } })
  }
  state.phones.show(customer, { ...shownOf(message), ...beside(state.account, number) })
  if (number.callbackOverride) return { messageId: message.id, deliveryIds: [] }

  const heard = { number, customer, text: message.text }
  hearFirst(state, heard)
  const deliveryIds = publish(state, { name: 'message.received', customer, number, message: message.id }, (about) =>
    shapeFor(RECEIVED_SHAPES, state.turn.received++, state.assumptions.payloadShape)(message, about),
  )
  hearLast(state, heard)
  return { messageId: message.id, deliveryIds }
}

type Said = Pick<Inbound, 'kind' | 'text' | 'tapped' | 'quickReply' | 'media'>

function whatIsSaid(writing: Writing, thread: readonly ThreadItem[]): Said {
  if (writing.text !== undefined) return { kind: 'text', text: writing.text }
  if (writing.tap !== undefined) return tapped(chosen(writing.tap, thread, 'button_reply'))
  if (writing.quickReply !== undefined) return tapped(chosen(writing.quickReply, thread, 'quick_reply'))
  if (writing.media === undefined) throw new TypeError('a writing without content')
  const { kind, ...media } = writing.media
  return { kind, media }
}

function tapped({ how, id, title }: PhoneChoice): Said {
  if (how === 'quick_reply') return { kind: 'button', quickReply: { payload: id, title } }
  return { kind: 'interactive', tapped: { type: how, id, title } }
}

/** The choice on the phone with that id; a `tap` finds quick replies too, a `quickReply` finds nothing else. */
function chosen(
  tap: z.infer<typeof tapSchema>,
  thread: readonly ThreadItem[],
  how: 'button_reply' | 'quick_reply',
): PhoneChoice {
  if (typeof tap === 'object') return { how, id: tap.id, title: tap.title ?? tap.id }
  const choices = choicesOn(thread).filter((choice) => how !== 'quick_reply' || choice.how === how)
  const found = choices.find((choice) => choice.id === tap)
  if (found) return found
  const there = choices.length > 0 ? choices.map((choice) => choice.id).join(', ') : 'nothing'
  throw refuse(
    409,
    'not_on_phone',
    `The phone shows no option ${tap}; to tap there is: ${there}. As {"id"} it needs none.`,
  )
}

function shownOf({ id, kind, text, tapped: option, quickReply, media, at }: Inbound): ThreadItem {
  const words = text ?? option?.title ?? quickReply?.title ?? media?.caption ?? null
  return {
    id,
    direction: 'INBOUND',
    kind,
    text: words,
    content: words,
    status: null,
    at: iso(at),
    ...(option && { interactive: option }),
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

export const orderSchema = z.strictObject({
  amount: z
    .string()
    .regex(/^\d+(\.\d{1,3})?$/, 'must be an amount such as 12500.00')
    .default('12500.00'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a currency such as TZS')
    .default('TZS'),
  /** The id of the connected number; default: the first. */
  number: z.string().optional(),
})

export type PaidOrder = { readonly orderId: string; readonly deliveryIds: string[] }

/** `order.paid`: a customer pays an order; nothing is captured under the callback override (DEL-10). */
export function payOrder(
  state: State,
  number: ConnectedNumber,
  customer: string,
  { amount, currency }: z.output<typeof orderSchema>,
): PaidOrder {
  const orderId = state.ids.order()
  const deliveryIds = publishDeclared(
    state,
    { name: 'order.paid', customer, number },
    {
      order_id: orderId,
      customer_phone: customer,
      amount,
      currency,
      paid_at: iso(state.clock.now()),
      occurred_at: iso(state.clock.now()),
    },
  )
  return { orderId, deliveryIds }
}
