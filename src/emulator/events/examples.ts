import type { EventName } from '../../contract/index.ts'
import type { State } from '../state.ts'
import type { Told } from './declared.ts'
import { type About, iso } from './event.ts'
import { declaredPayload } from './publish.ts'
import { RECEIVED_SHAPES } from './received.ts'
import { shapeFor } from './event.ts'
import { STATUS_SHAPES } from './status.ts'

/** What each event would say, of things that are not there: for firing one by hand. */
export function examplePayload(state: State, event: EventName, customer: string, about: About): object {
  const message = { id: state.ids.message(), upstreamId: state.ids.upstream(), customer }
  const { payloadShape } = state.assumptions
  if (event === 'message.received')
    return shapeFor(
      RECEIVED_SHAPES,
      state.turn.received++,
      payloadShape,
    )({ ...message, name: `Customer ${customer.slice(-3)}`, kind: 'text', at: about.now, text: 'Habari' }, about)
  if (event === 'message.status') {
    const change = {
      messageId: message.id,
      upstreamId: message.upstreamId,
      customer,
      messageType: 'text',
      status: 'delivered',
      at: about.now,
      createdAt: about.now,
    }
    return shapeFor(STATUS_SHAPES, state.turn.status++, payloadShape)(change, about)
  }
  return declaredPayload(state, event, { ...TOLD[event](message, state), occurred_at: iso(about.now) }, about)
}

interface Example {
  readonly id: string
  readonly upstreamId: string
  readonly customer: string
}

const TOLD: Readonly<
  Record<Exclude<EventName, 'message.received' | 'message.status'>, (it: Example, state: State) => Told>
> = {
  'message.sent': ({ id, upstreamId, customer }) => ({
    message_id: id,
    wa_message_id: upstreamId,
    direction: 'OUTBOUND',
    to: customer,
    message_type: 'text',
    content: 'Karibu',
    status: 'sent',
    source: 'HUMAN',
  }),
  'template.status': (_, { ids }) => ({
    template_id: ids.template(),
    template_name: 'order_update',
    template_language: 'sw',
    category: 'UTILITY',
    status: 'APPROVED',
    previous_status: 'PENDING',
  }),
  'account.error': () => ({ error: { code: 'number_disconnected', message: 'The number was disconnected.' } }),
  'conversation.escalated': ({ customer }) => ({
    conversation_id: `conv_${customer}`,
    customer_phone: customer,
    reason: 'The customer asked for a person.',
  }),
  'order.paid': ({ customer }, { ids }) => ({
    order_id: ids.order(),
    customer_phone: customer,
    amount: '12500.00',
    currency: 'TZS',
  }),
}
