import { customerLane, type CustomerOfNumber } from './customers.ts'
import type { NewDelivery } from './inbox/acceptance.ts'
import type { Ingested } from './inbox/ingested.ts'
import type { NewSend } from './outbox/rows.ts'
import type { Fence } from './work/lanes.ts'

/** What an operation reads and writes that others may write too. */
export interface Shared {
  /**
   * Keys of the operation. Within a transaction, operations without a common key may run side by side. Undefined: the
   * operation needs the whole database, and no process runs another one meanwhile.
   */
  readonly keys?: readonly string[]
  /**
   * The customers whose rows the operation locks, named by their lanes. An operation of another process that needs one
   * of them waits.
   */
  readonly customers?: readonly string[]
  /** The most ids that the operation needs in the ordinary case. */
  readonly ids?: number
  /** Of the items that it opens or ends: their first is asked ahead. */
  readonly lanes?: readonly string[]
}

export function sharedBy(
  { subscription, deliveryId, digest, timestamp }: NewDelivery,
  ingested: Ingested | undefined,
): Shared {
  const { items = NONE, windows = NONE, takeovers = NONE, statuses = NONE } = ingested ?? {}
  // Otherwise the delivery concerns the customer on every number, or a customer who is not named.
  const isOfOne = items.length > 0 && items.every(({ lane }) => lane !== undefined && customersIn(lane).length > 0)
  if (items.some(({ optOut }) => optOut) || (!isOfOne && statuses.some(({ status }) => status === 'failed'))) return {}
  const keys = [`id:${subscription}/${deliveryId}`, `signed:${timestamp}/${Buffer.from(digest).toString('latin1')}`]
  const customers: string[] = []
  for (const { number, lane, identity } of items) {
    if (lane !== undefined) customers.push(...customersIn(lane))
    if (identity) keys.push(`identity:${number}/${identity.key}`)
  }
  for (const moves of [windows, takeovers]) for (const who of moves) customers.push(customerLane(who))
  for (const { messageId, upstreamId } of statuses) keys.push(`status:${messageId}`, `status:${upstreamId}`)
  const lanes = items.flatMap(({ lane = NONE }) => lane)
  return { keys, customers, ids: Math.max(1, items.length), lanes }
}

const NONE: readonly never[] = []

export function sharedBySend(send: NewSend, fence: Fence | undefined): Shared {
  const keys = [send, ...(send.later ?? [])].flatMap(({ key, fallback }) => (fallback ? [key, fallback.key] : [key]))
  return { ...concerning(send, fence?.lane), keys: keys.map((key) => `key:${key}`) }
}

export function concerning(who: CustomerOfNumber, ...lanes: readonly (string | undefined)[]): Shared {
  const keys = lanes.filter((lane) => lane !== undefined)
  return { keys, customers: [customerLane(who), ...keys.flatMap(customersIn)] }
}

export function under({ lane }: Fence): Shared {
  return { keys: [lane], customers: customersIn(lane) }
}

/** The customers of a lane: none if its items have no customer. */
function customersIn(lane: string): readonly string[] {
  const [number = '', customer = ''] = lane.split('/', 2)
  return customer === '' ? NONE : [`${number}/${customer}`]
}
