import { ulid } from 'ulid'

/** The sender of all messages: no country has numbers that begin with 999. */
export const NOBODY = '999000000100'

/** Follows the ten digits of a ULID's time; a service's own id has it there once in a million million. */
const ID_MARK = '0VER1FY0'
const TIME_DIGITS = 10
const END_OF_MARK = TIME_DIGITS + ID_MARK.length

/** The beginning of a message's id upstream, in the signed bytes. */
export const MESSAGE_MARK = 'wamid.verify.'

/** A delivery id that shows whose it is. */
export function markedId(now: number): string {
  const id = ulid(now)
  return `${id.slice(0, TIME_DIGITS)}${ID_MARK}${id.slice(END_OF_MARK)}`
}

/** The facts by which a stored delivery is known again. */
export interface Seen {
  readonly deliveryId: string | undefined
  /** The senders of its messages, as they were read from the signed bytes. */
  readonly customers: readonly string[]
  readonly body: Uint8Array | undefined
}

/**
 * Tells a delivery of the matrix from the service's. The id is not signed, so a customer who was read from the bytes
 * counts for more.
 */
export function isFromMatrix({ deliveryId, customers, body }: Seen): boolean {
  if (customers.length > 0) return customers.every((customer) => customer === NOBODY)
  if (deliveryId !== undefined) return deliveryId.slice(TIME_DIGITS, END_OF_MARK) === ID_MARK
  return body !== undefined && Buffer.from(body).includes(MESSAGE_MARK)
}
