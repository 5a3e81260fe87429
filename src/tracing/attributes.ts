import type { Attributes } from '@opentelemetry/api'
import type { SpanMembers, SpanName } from '../base/tracer.ts'

/** The operations by which OpenTelemetry's messaging conventions know our spans; to ingest is none of theirs. */
const OPERATION_TYPES: Readonly<Record<SpanName, string | undefined>> = {
  receive: 'receive',
  ingest: undefined,
  attempt: 'process',
  send: 'send',
}

/** Attributes by the messaging conventions where they have a name, else under `switchhook.`; none has a customer or a text. */
export function attributesOf(name: SpanName, members: SpanMembers): Attributes {
  const { event, deliveryId, messageId, number } = members
  return defined({
    'messaging.system': 'switchhook',
    'messaging.operation.name': name,
    'messaging.operation.type': OPERATION_TYPES[name],
    'messaging.destination.name': name === 'send' ? number : event,
    'messaging.message.id': name === 'send' ? messageId : deliveryId,
    'messaging.batch.message_count': members.messages,
    'http.response.status_code': members.status,
    'switchhook.delivery': name === 'send' ? deliveryId : undefined,
    'switchhook.subscription': members.subscription,
    'switchhook.number': number,
    'switchhook.route': members.route,
    'switchhook.attempt': members.attempt,
    'switchhook.outcome': members.outcome,
    'switchhook.send': members.send,
    'switchhook.via': members.via,
  })
}

/** By the conventions: the operation, and where it happens. */
export function nameOf(name: SpanName, { event, number }: SpanMembers): string {
  const destination = name === 'send' ? number : event
  return destination === undefined ? name : `${name} ${destination}`
}

function defined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
}
