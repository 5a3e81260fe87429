import { customerLane, type CustomerOfNumber } from './customers.ts'
import type { Engine, Shared } from './engine.ts'
import type { NewDelivery, Ingested } from './inbox/acceptance.ts'
import type { NewSend } from './outbox/rows.ts'
import type { Steps, Tx } from './statements/steps.ts'
import type { Fence } from './work/lanes.ts'

export type Ways = ReturnType<typeof waysOf>

/** How an operation runs: each makes a member of the store from the function of the same name. */
export function waysOf({
  write,
  portion,
  keep,
  read,
  makeIndexes,
}: Pick<Engine, 'write' | 'portion' | 'keep' | 'read' | 'makeIndexes'>) {
  let made: Promise<void> | undefined
  const indexes = () =>
    (made ??= makeIndexes?.().catch((error: unknown) => {
      made = undefined
      throw error
    }))
  return {
    write,
    portion,
    keep,
    reads: asking(read),
    readsLong: asking((operation) => read(operation, { long: true })),
    writes: asking(write),
    /** For operations without keys: they only read, or no change of theirs depends on another row. */
    writesFreely: asking((operation) => write(operation, { keys: [] })),
    /** For operations that use the indexes of a history. The first call makes the indexes. */
    behindIndexes:
      <Given extends readonly unknown[], T>(operation: (...given: Given) => Promise<T>) =>
      async (...given: Given): Promise<T> => {
        await indexes()
        return operation(...given)
      },
    /** For operations that concern one customer. */
    writesOf:
      <Who extends CustomerOfNumber, Rest extends readonly unknown[], T>(
        operation: (who: Who, ...rest: Rest) => Steps<T>,
      ) =>
      (who: Who, ...rest: Rest) =>
        write(() => operation(who, ...rest), concerning(who)),
    transacts:
      <Given extends readonly unknown[], T>(operation: (tx: Tx, ...given: Given) => Steps<T>) =>
      (...given: Given) =>
        write((tx) => operation(tx, ...given)),
  }
}

function asking(run: <T>(operation: () => Steps<T>) => Promise<T>) {
  return <Given extends readonly unknown[], T>(operation: (...given: Given) => Steps<T>) =>
    (...given: Given) =>
      run(() => operation(...given))
}

// ── what operations share ───────────────────────────────────────────────────────────────────────────

export function sharedBy(
  { subscription, deliveryId, digest, timestamp }: NewDelivery,
  ingested: Ingested | undefined,
): Shared {
  const { items = NONE, windows = NONE, takeovers = NONE, statuses = NONE } = ingested ?? {}
  // An opt-out concerns the customer on every number. A failure without an item concerns a customer who is not named.
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
