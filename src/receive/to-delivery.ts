import { hash } from 'node:crypto'
import { canonicalDeliveryId, DELIVERY_ID_FORM, EVENT_NAME_FORM } from '../contract/index.ts'
import type { NewDelivery } from '../stores/port/index.ts'
import { type IncomingHeaders, singleHeader } from './http.ts'
import type { HeaderNames, Stale, Verified } from './signature.ts'

/**
 * Makes the row of a verified delivery. Headers that cannot be read are no reason to refuse it: it is stored as
 * quarantined, under its signed material (SIG-09).
 */
export function toDelivery(
  headers: IncomingHeaders,
  body: Uint8Array,
  verified: Verified | Stale,
  receivedAt: number,
  names: HeaderNames,
): NewDelivery {
  const event = readHeader(headers, names.event, EVENT_NAME_FORM)
  const id = readHeader(headers, names.delivery, DELIVERY_ID_FORM)
  const unclear = [
    event.problem && `the event's name is ${event.problem}`,
    id.problem && `the delivery id is ${id.problem}`,
  ].filter((problem) => problem !== undefined)
  return {
    subscription: verified.subscription,
    deliveryId: id.value === undefined ? undefined : canonicalDeliveryId(id.value),
    event: event.value,
    timestamp: verified.timestamp,
    // By way of hex, as in `macOf`.
    digest: Buffer.from(hash('sha256', body), 'hex'),
    body,
    receivedAt,
    clockOffset: clockOffset(headers, names.clockOffset),
    ...(unclear.length > 0 && { unclear: unclear.join(', ') }),
  }
}

function readHeader(headers: IncomingHeaders, name: string, form: RegExp): { value?: string; problem?: string } {
  const header = singleHeader(headers, name)
  if ('problem' in header) return header
  return form.test(header.value) ? header : { problem: 'malformed' }
}

const OFFSET_FORM = /^-?[0-9]{1,14}$/

/** Milliseconds. A malformed offset is no emulator's, and must not keep the delivery from being stored. */
function clockOffset(headers: IncomingHeaders, name: string | undefined): number {
  if (name === undefined) return 0
  const header = singleHeader(headers, name)
  return 'value' in header && OFFSET_FORM.test(header.value) ? Number(header.value) || 0 : 0
}
