import { isGoingOut } from '../../store/outbox/send-rules.ts'
import type { CustomerOfNumber } from '../../store/database/customer-tables.ts'
import type { SendRow } from '../../store/database/outbox-tables.ts'
import type { StartedItem } from '../../store/work/items.ts'
import type { Claimed, Fence } from '../../store/work/lanes.ts'
import type { Settlement } from '../../store/work/settle.ts'
import type { DueSend, SendSettlement } from '../../store/outbox/send-attempts.ts'

interface SettledItem {
  readonly id: number
  readonly settlement: Settlement
  readonly at: number
  readonly next: StartedItem | undefined
}

/** The longest wait that a turn covers, such as a back-off. For a longer wait, a test calls `advance`. */
export const TURN_LASTS_MS = 15 * 60_000

const SENT_EVENT = 'an event about what the number sent'

interface Running {
  readonly item: StartedItem
  /** What the handler waits for: the ids of its unsettled sends, and `SENT_EVENT`. */
  readonly waitsFor: Set<string>
}

/**
 * The items and sends that the bot has begun and not settled, as its calls to the store show them. While a handler runs
 * the app's own code, the scenario's clock must not move. It may move while a handler waits for a send.
 */
export class InFlight {
  readonly #items = new Map<string, Running>()
  readonly #sends = new Set<string>()
  /** For the id of each item that was postponed for longer than a turn: the number of messages in its bundle. */
  readonly #deferred = new Map<number, number>()
  /** Sends that were recorded outside any attempt. A handler may wait for one of them through a promise of the app. */
  readonly #appSends = new Set<string>()
  #nextItem: number | undefined
  #nextSend: number | undefined
  readonly #outside: () => number

  /** `outside`: returns how many withheld sends are under way. They have no lane. */
  constructor(outside: () => number) {
    this.#outside = outside
  }

  itemBegun(fence: Fence, item: StartedItem): void {
    this.#deferred.delete(item.id)
    this.#items.set(fence.lane, { item, waitsFor: new Set() })
  }

  itemsClaimed({ begun, nextAt }: Claimed<StartedItem>): void {
    for (const { fence, work } of begun) this.itemBegun(fence, work)
    this.#nextItem = nextAt
  }

  itemSettled(fence: Fence, { id, settlement, at, next }: SettledItem): void {
    const messages = 1 + (this.#items.get(fence.lane)?.item.earlier.length ?? 0)
    this.#items.delete(fence.lane)
    this.#deferred.delete(id)
    if (settlement.as === 'retry' && settlement.at - at > TURN_LASTS_MS) this.#deferred.set(id, messages)
    if (next) this.itemBegun(fence, next)
  }

  sendsClaimed({ begun, nextAt }: Claimed<DueSend>): void {
    for (const { fence } of begun) this.#sends.add(fence.lane)
    this.#nextSend = nextAt
  }

  sendBegun(fence: Fence): void {
    this.#sends.add(fence.lane)
  }

  sendLaneFreed(fence: Fence): void {
    this.#sends.delete(fence.lane)
  }

  /** `isOpen`: an event about a message that the number sent is not settled. The handler's reply waits for that. */
  sentEventAwaited({ number, customer }: CustomerOfNumber, isOpen: boolean): void {
    const { waitsFor } = this.#items.get(`${number}/${customer}`) ?? {}
    if (isOpen) waitsFor?.add(SENT_EVENT)
    else waitsFor?.delete(SENT_EVENT)
  }

  sendRecorded(send: SendRow, fence: Fence | undefined): void {
    if (fence) this.#items.get(fence.lane)?.waitsFor.delete(SENT_EVENT)
    if (!isGoingOut(send.state)) return
    if (fence) this.#items.get(fence.lane)?.waitsFor.add(send.id)
    else this.#appSends.add(send.id)
  }

  sendSettled(send: string, { as }: SendSettlement): void {
    if (as === 'ready' || as === 'attempting' || as === 'fall_back') return
    this.#appSends.delete(send)
    for (const { waitsFor } of this.#items.values()) waitsFor.delete(send)
  }

  /** True if a handler runs the app's own code. */
  inAppCode(): boolean {
    if (this.#outside() + this.#appSends.size > 0) return false
    return [...this.#items.values()].some(({ waitsFor }) => waitsFor.size === 0)
  }

  any(): boolean {
    return this.#items.size + this.#sends.size + this.#outside() > 0
  }

  /** How many messages were postponed for longer than a turn lasts. */
  deferred(): number {
    return [...this.#deferred.values()].reduce((sum, messages) => sum + messages, 0)
  }

  /** The times at which the next item and the next send become ready. */
  nextAt(): readonly (number | undefined)[] {
    return [this.#nextItem, this.#nextSend]
  }

  /** Call this when the process has ended. */
  clear(): void {
    this.#items.clear()
    this.#sends.clear()
    this.#appSends.clear()
    this.#nextItem = this.#nextSend = undefined
  }
}
