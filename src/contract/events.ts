/** The event kinds that the specification names. `declared` ones are not confirmed as published. */
export const EVENTS = {
  'message.received': 'confirmed',
  'message.status': 'confirmed',
  'message.sent': 'declared',
  'template.status': 'declared',
  'account.error': 'declared',
  'conversation.escalated': 'declared',
  'order.paid': 'declared',
} as const

export type EventName = keyof typeof EVENTS

/** The statuses of a sent message, from the lowest to the highest; `failed` is a mark of its own (EVT-04). */
export const STATUS_ORDER = ['sent', 'delivered', 'read', 'played'] as const
export const STATUSES = [...STATUS_ORDER, 'failed'] as const

export type KnownStatus = (typeof STATUSES)[number]
