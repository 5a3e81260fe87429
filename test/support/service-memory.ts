import type { State } from '../../src/emulator/world.ts'
import type { ThreadItem } from '../../src/emulator/model/thread.ts'

/** What a service knew of an earlier world: a new emulator continues with it. */
export interface ServiceMemory {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly secret: string
  readonly phones: readonly {
    readonly customer: string
    readonly lastInboundAt: Readonly<Record<string, number>>
    readonly thread: readonly ThreadItem[]
  }[]
  /** The idempotency keys that it knew, without the bodies that were sent under them. */
  readonly keys: readonly string[]
}

export function memoryOf({ clock, subscriptions, phones, keys }: State): ServiceMemory {
  return {
    at: clock.now(),
    secret: subscriptions.list()[0]?.secret ?? '',
    phones: phones.all().map(({ customer, lastInboundAt, thread }) => ({
      customer,
      lastInboundAt: Object.fromEntries(lastInboundAt),
      thread: structuredClone(thread),
    })),
    keys: keys.list().map(({ key }) => key),
  }
}

/** Restores the phones and the keys: the first send under a known key is a repeat, and is answered as the send before it. */
export function recall({ phones, keys }: State, memory: ServiceMemory): void {
  for (const { customer, lastInboundAt, thread } of memory.phones) {
    const phone = phones.of(customer)
    phone.thread.push(...structuredClone(thread))
    for (const [number, at] of Object.entries(lastInboundAt)) phone.lastInboundAt.set(number, at)
  }
  const known = new Set(memory.keys)
  const { claim } = keys
  keys.claim = (number, key, body) => {
    const made = claim(number, key, body)
    if (made.is !== 'first' || !known.delete(key)) return made
    // The memory has no bodies, so the repeat's own text and customer name the message that has arrived.
    const { to, text } = body.json
    const thread = memory.phones.find(({ customer }) => customer === to)?.thread ?? []
    const arrived = thread.findLast((item) => item.direction === 'OUTBOUND' && item.text === text)
    if (arrived === undefined) throw new Error(`No message on the phone of ${String(to)} fits the known key ${key}`)
    made.settle({ status: 200, body: JSON.stringify({ id: arrived.id, status: arrived.status }) })
    return claim(number, key, body)
  }
}
