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

/** Restores the phones; the keys cannot be restored. */
export function recall({ phones }: State, memory: ServiceMemory): void {
  for (const { customer, lastInboundAt, thread } of memory.phones) {
    const phone = phones.of(customer)
    phone.thread.push(...structuredClone(thread))
    for (const [number, at] of Object.entries(lastInboundAt)) phone.lastInboundAt.set(number, at)
  }
}
