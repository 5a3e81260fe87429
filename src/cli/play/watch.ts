import { endsWithin, realTimers } from '../../base/clock.ts'
import { reasonOf } from '../../base/errors.ts'
import { readEventData } from '../../base/event-stream.ts'
import type { CustomerView } from '../../emulator/control/customers.ts'
import type { DeliveryChange, Happening } from '../../emulator/happening.ts'
import type { ThreadItem } from '../../emulator/model/thread.ts'
import { messageView, type Sent } from '../../testing/message-view.ts'
import type { Control } from '../support/emulator.ts'
import { OutOfReach } from '../support/exit.ts'

/** The events of an emulator's stream since the watch began. */
export interface Watch extends Disposable {
  /** The number of sends so far, for `sentSince`. */
  count(): number
  /**
   * All sends since that count, refused ones too, in order, except those to customers who write to the app without
   * being played.
   */
  sentSince(count: number): readonly Sent[]
  /** Why a delivery's last attempt failed; undefined if the attempt succeeded or is under way. */
  trouble(deliveryId: string): string | undefined
  /**
   * Resolves with true when something happens on the phone or to a delivery of a customer whose sends count, or with
   * false after so many milliseconds. @throws OutOfReach
   */
  change(withinMs: number): Promise<boolean>
}

/** Watches an emulator. `players` are the customers that the files play. */
export async function watchEmulator(control: Control, players: ReadonlySet<string>): Promise<Watch> {
  const ended = new AbortController()
  const sent = new Map<string, Sent>()
  const others = new Set<string>()
  const troubles = new Map<string, string>()
  let changed = Promise.withResolvers<void>()
  let lost: OutOfReach | undefined
  const wake = () => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }

  function hear(happening: Happening): void {
    if (happening.kind === 'thread') hearThread(happening.customer, happening.item)
    if (happening.kind === 'delivery') hearDelivery(happening.delivery)
  }
  function hearThread(customer: string, item: ThreadItem): void {
    if (item.direction === 'OUTBOUND') sent.set(item.id, { to: customer, ...messageView(item) })
    else if (!players.has(customer)) others.add(customer)
    // Those who write all the time would otherwise keep each step from its end.
    if (!others.has(customer)) wake()
  }
  function hearDelivery({ id, event, customer, state, last }: DeliveryChange): void {
    if (state === 'delivered' || last === undefined) troubles.delete(id)
    else troubles.set(id, `${event} was not taken by the app: ${last.status ?? last.error ?? 'no answer'}`)
    if (customer === null || !others.has(customer)) wake()
  }

  const stream = readEventData(await control.stream(ended.signal))
  async function listen(greeted: () => void): Promise<never> {
    // The first event is a greeting: from now on no event is missed.
    await stream.next()
    greeted()
    for await (const data of stream) hear(JSON.parse(data ?? '{}') as Happening)
    throw new Error('it has ended')
  }
  const greeted = Promise.withResolvers<void>()
  listen(greeted.resolve).catch((error: unknown) => {
    lost = new OutOfReach(`the emulator at ${control.url} does not answer any more (${reasonOf(error)})`, error)
    greeted.reject(lost)
    wake()
  })
  await greeted.promise
  // Whoever waits for an answer since before the watch began gets it while it lasts.
  for (const { customer, last } of (await control.get<{ items: CustomerView[] }>('customers')).items)
    if (last?.direction === 'INBOUND' && !players.has(customer)) others.add(customer)

  return {
    count: () => sent.size,
    sentSince: (count) => [...sent.values()].slice(count).filter(({ to }) => !others.has(to)),
    trouble: (id) => troubles.get(id),
    async change(withinMs) {
      const came = lost === undefined && (await endsWithin(withinMs, realTimers, changed.promise))
      if (lost) throw lost
      return came
    },
    [Symbol.dispose]: () => ended.abort(),
  }
}
