import { deliveryHeaders } from '../../contract/delivery.ts'
import type { DeliveryRequest } from '../../emulator/deliver/delivery.ts'
import { altered } from '../../emulator/deliver/signed-request.ts'
import { sign, unixSeconds } from '../../emulator/deliver/signed-request.ts'
import { EMULATOR_HEADER } from '../../emulator/http/messages.ts'

/** What is changed behind a signature's back. */
export const TAMPERINGS = ['signature', 'body', 'timestamp'] as const
export type Tampering = (typeof TAMPERINGS)[number]

export interface ToSign {
  readonly url: string
  readonly event: string
  readonly id: string
  readonly body: Buffer
  readonly secret: string
  /** As of when it is signed, in milliseconds since the epoch. */
  readonly at: number
  readonly prefix: string
  readonly tamper?: Tampering | undefined
}

/** A delivery as the service signs it, for a receiver that no emulator knows. */
export function signedRequest({ url, event, id, body, secret, at, prefix, tamper }: ToSign): DeliveryRequest {
  const names = deliveryHeaders(prefix)
  const timestamp = unixSeconds(at)
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    'User-Agent': 'switchhook',
    [names.event]: event,
    [names.delivery]: id,
    [names.timestamp]: timestamp,
    [names.signature]: sign(body, timestamp, secret),
    ...EMULATOR_HEADER,
  }
  return altered({ url, headers, body }, names, { tamper })
}
