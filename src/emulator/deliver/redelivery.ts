import type { DeliveryHeaders } from '../../contract/index.ts'
import type { DeliveryRequest } from './delivery.ts'

/** How a redelivery differs from an ordinary attempt. */
export interface Redelivery {
  /** The request that was signed last once more: its very bytes, timestamp and signature. */
  readonly exact?: boolean | undefined
  /** Something changed after signing. */
  readonly tamper?: 'signature' | 'body' | 'timestamp' | undefined
  /** Signed as of another time: milliseconds from now, below zero in the past. */
  readonly timestampOffsetMs?: number | undefined
  /** Another delivery id or event name in the headers; neither is signed. */
  readonly deliveryId?: string | undefined
  readonly event?: string | undefined
}

/** A signed request with what the redelivery changes behind the signature's back. */
export function altered(request: DeliveryRequest, names: DeliveryHeaders, how: Redelivery): DeliveryRequest {
  const headers = { ...request.headers }
  if (how.deliveryId !== undefined) headers[names.delivery] = how.deliveryId
  if (how.event !== undefined) headers[names.event] = how.event
  if (how.tamper === 'signature') headers[names.signature] = withLastDigitChanged(headers[names.signature] ?? '')
  if (how.tamper === 'timestamp') headers[names.timestamp] = String(Number(headers[names.timestamp]) + 1)
  const body = how.tamper === 'body' ? withLastByteChanged(request.body) : request.body
  return { ...request, headers, body }
}

function withLastDigitChanged(signature: string): string {
  return signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0')
}

/** Of the same length, and no JSON any more. */
function withLastByteChanged(body: Buffer): Buffer {
  const changed = Buffer.from(body)
  if (changed.length > 0) changed[changed.length - 1] = 0x21
  return changed
}
