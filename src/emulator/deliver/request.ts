import { type DeliveryHeaders, EMULATOR_CLOCK_OFFSET } from '../../contract/index.ts'
import { EMULATOR_HEADER } from '../http/messages.ts'
import type { Delivery, DeliveryRequest } from './delivery.ts'
import { sign, unixSeconds } from './sign.ts'

/** One attempt's request: the delivery's bytes and id, a timestamp and a signature of its own (DEL-08). */
export function requestOf(
  delivery: Delivery,
  names: DeliveryHeaders,
  clock: { readonly offset: number },
  signedAtMs: number,
  secret: string = delivery.subscription.secret,
): DeliveryRequest {
  const timestamp = unixSeconds(signedAtMs)
  return {
    url: delivery.subscription.url,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': String(delivery.body.length),
      'User-Agent': 'switchhook-emulator',
      [names.event]: delivery.event,
      [names.delivery]: delivery.id,
      [names.timestamp]: timestamp,
      [names.signature]: sign(delivery.body, timestamp, secret),
      ...EMULATOR_HEADER,
      [EMULATOR_CLOCK_OFFSET]: String(clock.offset),
    },
    body: delivery.body,
  }
}
