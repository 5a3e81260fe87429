import { DEFAULT_HEADER_PREFIX, deliveryHeaders, SIGNATURE_SCHEME } from '../contract/index.ts'
import { macOf } from './verify.ts'

/**
 * The four headers of a delivery, signed as the service signs: for tests and for tools that trigger.
 *
 * @param o.at the moment of signing; receivers refuse it when it is more than 300 seconds from theirs.
 */
export function signDelivery(o: {
  body: Uint8Array | string
  secret: string
  at: Date
  event: string
  deliveryId: string
  headerPrefix?: string
}): Record<string, string> {
  const names = deliveryHeaders(o.headerPrefix ?? DEFAULT_HEADER_PREFIX)
  const timestamp = String(Math.floor(o.at.getTime() / 1000))
  return {
    [names.signature]: SIGNATURE_SCHEME + macOf(o.secret, timestamp, o.body).toString('hex'),
    [names.timestamp]: timestamp,
    [names.event]: o.event,
    [names.delivery]: o.deliveryId,
  }
}
