import { type EventName, EVENTS } from '../../contract/index.ts'
import { iso } from '../model/clock.ts'
import type { Model } from '../model/model.ts'
import type { DeclaredFacts } from './declared.ts'
import type { About } from './event.ts'
import type { Payloads } from './payloads.ts'

interface ExampleDeps extends Pick<Model, 'ids'> {
  readonly payloads: Payloads
}

/** The payload of an invented event, for firing one manually. */
export function examplePayload(deps: ExampleDeps, event: EventName, customer: string, about: About): object {
  const { ids } = deps
  const message = { id: ids.message(), upstreamId: ids.upstream(), customer }
  if (isDeclared(event))
    return deps.payloads.declared(event, { ...FACTS[event](message, deps), occurred_at: iso(about.now) }, about)
  return CONFIRMED[event](message, about, deps)
}

interface ExampleMessage {
  readonly id: string
  readonly upstreamId: string
  readonly customer: string
}

type Confirmed = { [E in EventName]: (typeof EVENTS)[E] extends 'confirmed' ? E : never }[EventName]
type Declared = Exclude<EventName, Confirmed>

function isDeclared(event: EventName): event is Declared {
  return EVENTS[event] === 'declared'
}

const CONFIRMED: Readonly<Record<Confirmed, (message: ExampleMessage, about: About, deps: ExampleDeps) => object>> = {
  'message.received': (message, about, deps) => {
    const name = `Customer ${message.customer.slice(-3)}`
    return deps.payloads.received({ ...message, name, kind: 'text', at: about.now, text: 'Habari' }, about)
  },
  'message.status': ({ id, upstreamId, customer }, about, deps) => {
    const facts = {
      messageId: id,
      upstreamId,
      customer,
      messageType: 'text',
      status: 'delivered',
      at: about.now,
      createdAt: about.now,
    }
    return deps.payloads.status(facts, about)
  },
}

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
