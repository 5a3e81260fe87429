import { ulid } from 'ulid'

/** The sender of all messages. No country has numbers that begin with 999. */
export const TEST_CUSTOMER = '999000000100'

/** Follows the ten digits of a ULID's time. The service's own ids have it there once in a million million. */
const ID_MARK = '0VER1FY0'
const TIME_DIGITS = 10
const END_OF_MARK = TIME_DIGITS + ID_MARK.length

/** The beginning of a message's id upstream, in the signed bytes. */
export const MESSAGE_MARK = 'wamid.verify.'

/** A delivery id that identifies a delivery of the matrix. */
export function markedId(now: number): string {
  const id = ulid(now)
  return `${id.slice(0, TIME_DIGITS)}${ID_MARK}${id.slice(END_OF_MARK)}`
}

/** What is known of a stored delivery. */
export interface SeenDelivery {
  readonly deliveryId: string | undefined
  /** The senders of its messages, read from the signed bytes. */
  readonly customers: readonly string[]
  readonly body: Uint8Array | undefined
}

/**
 * Tells a delivery of the matrix from one of the service. The id is not signed, so customers read from the bytes
 * decide.
 */
export function isFromMatrix({ deliveryId, customers, body }: SeenDelivery): boolean {
  if (customers.length > 0) return customers.every((customer) => customer === TEST_CUSTOMER)
  if (deliveryId !== undefined) return deliveryId.slice(TIME_DIGITS, END_OF_MARK) === ID_MARK
  return body !== undefined && Buffer.from(body).includes(MESSAGE_MARK)
}
