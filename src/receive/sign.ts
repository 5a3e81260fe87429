import { SwitchhookError } from '../base/errors.ts'
import { DEFAULT_HEADER_PREFIX, deliveryHeaders, SIGNATURE_SCHEME } from '../contract/index.ts'
import { keyOf } from './keyring.ts'
import { macOf } from './verify.ts'

/**
 * The four headers of a delivery, signed as the service signs: for tests and for tools that trigger.
 *
 * @param o.at the moment of signing; receivers refuse it when it is more than 300 seconds from theirs.
 * @throws SwitchhookError `options_invalid` where the secret is empty or has blank ends, or the moment is none.
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
  const seconds = Math.floor(o.at.getTime() / 1000)
  if (Number.isNaN(seconds)) throw new SwitchhookError('options_invalid', 'at: expected a date, got an invalid one')
  const timestamp = String(seconds)
  return {
    [names.signature]: SIGNATURE_SCHEME + macOf(keyOf(o.secret, 'secret'), timestamp, o.body).toString('hex'),
    [names.timestamp]: timestamp,
    [names.event]: o.event,
    [names.delivery]: o.deliveryId,
  }
}
