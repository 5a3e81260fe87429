import { TIMESTAMP_TOLERANCE_SECONDS } from '../../contract/delivery.ts'
import type { Tampering } from '../deliveries/signed.ts'

/** What was delivered, as far as it is kept. */
export interface Original {
  readonly id: string
  readonly event: string
  readonly body: Buffer
  /** The last request as it went out, its body as text; an inbox keeps none. */
  readonly request?: { readonly headers: Readonly<Record<string, string>>; readonly body: string } | undefined
}

/** How a delivery differs from its original. */
export interface How {
  readonly exact: boolean
  readonly tamper: Tampering | undefined
  /** As it was given, and in milliseconds. */
  readonly offset: string | undefined
  readonly offsetMs: number
}

/** Whether a receiver must refuse a signature's time, in Unix seconds. */
export function isStale(timestamp: number): boolean {
  return Math.abs(Math.floor(Date.now() / 1_000) - timestamp) > TIMESTAMP_TOLERANCE_SECONDS
}

/** The time that a delivery's headers say, whatever their prefix. */
export function timestampIn(headers: Readonly<Record<string, string>>): number {
  const [, value] = Object.entries(headers).find(([name]) => /-timestamp$/i.test(name)) ?? []
  return Number(value)
}
