import type { MessageOut } from '../contract/index.ts'

/** A message's status in lower case, since the service writes both (SEND-17); unknown values are kept. */
export function statusOf(message: Pick<MessageOut, 'status'>): string | undefined {
  const { status } = message
  return typeof status === 'string' && status !== '' ? status.toLowerCase() : undefined
}
