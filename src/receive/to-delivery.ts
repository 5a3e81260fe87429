import { createHash } from 'node:crypto'
import { canonicalDeliveryId, DELIVERY_ID_FORM, EVENT_NAME_FORM } from '../contract/index.ts'
import type { NewDelivery } from '../stores/port/index.ts'
import { type IncomingHeaders, single } from './headers.ts'
import type { Stale, Verified } from './verify.ts'

/** The names of the headers that describe a delivery, in lower case. They are not signed. */
export interface DescribingHeaderNames {
  readonly event: string
  readonly delivery: string
  /** Undefined where the other side is no emulator: then nobody moves our clock. */
  readonly clockOffset: string | undefined
}

/**
 * A verified delivery as it is stored. What its headers cannot tell is no reason to refuse it: it is kept,
 * quarantined, under its signed material (SIG-09).
 */
export function toDelivery(
  headers: IncomingHeaders,
  body: Uint8Array,
  verified: Verified | Stale,
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
    deliveryId: id.value === undefined ? undefined : canonicalDeliveryId(id.value),
    event: event.value,
    timestamp: verified.timestamp,
    digest: createHash('sha256').update(body).digest(),
    body,
    receivedAt,
    clockOffset: offsetOf(headers, names.clockOffset),
    ...(unclear.length > 0 && { unclear: unclear.join(', ') }),
  }
}

/** Whole milliseconds; anything else is no emulator's, and must not keep the delivery from being stored. */
const OFFSET_FORM = /^-?[0-9]{1,14}$/

function offsetOf(headers: IncomingHeaders, name: string | undefined): number {
  if (name === undefined) return 0
  const header = single(headers, name)
  return 'value' in header && OFFSET_FORM.test(header.value) ? Number(header.value) || 0 : 0
}

function read(headers: IncomingHeaders, name: string, form: RegExp): { value?: string; problem?: string } {
  const header = single(headers, name)
  if ('problem' in header) return header
  return form.test(header.value) ? header : { problem: 'malformed' }
}
