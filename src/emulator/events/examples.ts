import type { EventName } from '../../service/delivery.ts'
import { iso } from '../model/emulated-clock.ts'
import type { Model } from '../model/model.ts'
import type { About, DeclaredFacts } from './event.ts'
import type { Payloads } from './payloads.ts'

interface ExampleDeps extends Pick<Model, 'ids'> {
  readonly payloads: Payloads
}

export function examplePayload(deps: ExampleDeps, event: EventName, customer: string, about: About): object {
  const { ids, payloads } = deps
  const { now } = about
  const message = { id: ids.message(), upstreamId: ids.upstream(), customer }
  if (event === 'message.received') {
    const name = `Customer ${customer.slice(-3)}`
    return payloads.received({ ...message, name, kind: 'text', at: now, text: 'Habari' }, about)
  }
  if (event === 'message.status') {
    const { id: messageId, upstreamId } = message
    const facts = { messageId, upstreamId, customer, messageType: 'text', status: 'delivered', at: now, createdAt: now }
    return payloads.status(facts, about)
  }
  return payloads.declared(event, { ...FACTS[event](message, deps), occurred_at: iso(now) }, about)
}

interface ExampleMessage {
  readonly id: string
  readonly upstreamId: string
  readonly customer: string
}

type Declared = Exclude<EventName, 'message.received' | 'message.status'>

const FACTS: Readonly<Record<Declared, (message: ExampleMessage, deps: ExampleDeps) => DeclaredFacts>> = {
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
