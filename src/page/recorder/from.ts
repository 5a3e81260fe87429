import type { Happening } from '../wire/types.ts'

/**
 * After which happening a recording begins that has a message in it: before the message where the customer wrote it,
 * before what led to it where the app did. Empty: with the first one. Undefined where the timeline has no such message.
 */
export function beforeMessage(happenings: readonly Happening[], messageId: string): string | undefined {
  const index = happenings.findIndex((one) => one.kind === 'thread' && one.item.id === messageId)
  const message = happenings[index]
  if (message?.kind !== 'thread') return undefined
  const first = happenings.findLastIndex((one, at) => at <= index && mayHaveLedTo(message.customer, one))
  return first < 0 ? undefined : (happenings[first - 1]?.id ?? '')
}

function mayHaveLedTo(customer: string, happening: Happening): boolean {
  if (happening.kind === 'clock') return true
  return happening.kind === 'thread' && happening.customer === customer && happening.item.direction === 'INBOUND'
}
