import { createHash } from 'node:crypto'
import { canonicalDeliveryId, DELIVERY_ID_FORM, EVENT_NAME_FORM } from '../contract/index.ts'
import type { NewDelivery } from '../stores/port/index.ts'
import { type IncomingHeaders, lookUp, single } from './headers.ts'
import type { Verified } from './verify.ts'

/** The names of the headers that describe a delivery, in lower case. They are not signed. */
export interface DescribingHeaderNames {
  readonly event: string
  readonly delivery: string
  readonly clockOffset: string
}

/**
 * A verified delivery as it is stored. What its headers cannot tell is no reason to refuse it: it is kept,
 * quarantined, under its signed material (SIG-09).
 */
export function describe(
  headers: IncomingHeaders,
  body: Uint8Array,
  verified: Verified,
  receivedAt: number,
  names: DescribingHeaderNames,
): NewDelivery {
  const event = read(headers, names.event, EVENT_NAME_FORM)
  const id = read(headers, names.delivery, DELIVERY_ID_FORM)
  const unclear = [
    event.problem && `the event's name is ${event.problem}`,
    id.problem && `the delivery id is ${id.problem}`,
  ].filter((problem) => problem !== undefined)
  return {
    subscription: verified.subscription,
    deliveryId: id.value === undefined || unclear.length > 0 ? undefined : canonicalDeliveryId(id.value),
    event: unclear.length > 0 ? undefined : event.value,
    timestamp: verified.timestamp,
    digest: createHash('sha256').update(body).digest(),
    body,
    receivedAt,
    clockOffset: Number(lookUp(headers, names.clockOffset)) || 0,
    ...(unclear.length > 0 && { unclear: unclear.join(', ') }),
  }
}

function read(headers: IncomingHeaders, name: string, form: RegExp): { value?: string; problem?: string } {
  const header = single(headers, name)
  if ('problem' in header) return header
  return form.test(header.value) ? header : { problem: 'malformed' }
}
