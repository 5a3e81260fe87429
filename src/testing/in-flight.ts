import type { Claimed, DueSend, Fence, SendRow, SendSettlement, Settlement, StartedItem } from '../stores/port/index.ts'
import { isGoingOut } from '../stores/rules/sends.ts'

/**
 * Tracks the items and sends that the bot has begun and not settled, by the operations that it asks of its store.
 * A handler that waits for a send waits for the service, and so perhaps for time to pass; any other handler runs code
 * of the app's own, and no time may pass until it ends.
 */
export interface InFlight {
  itemsClaimed(claimed: Claimed<StartedItem>): void
  /** An item began in the commit that stored it. */
  itemBegun(fence: Fence, item: StartedItem): void
  itemSettled(fence: Fence, settled: SettledItem): void
  sendsClaimed(claimed: Claimed<DueSend>): void
  sendBegun(fence: Fence): void
  sendLaneReleased(fence: Fence): void
  sendRecorded(send: SendRow, fence: Fence | undefined): void
  sendSettled(send: string, settlement: SendSettlement): void
  /** A one-time code goes out outside of every lane. */
  codeOpened(send: SendRow): void
  /** Items whose handlers run code of the app's own. */
  inAppCode(): readonly StartedItem[]
  /** Stops waiting for these items; they count as deferred. */
  giveUpOn(items: readonly StartedItem[]): void
  any(): boolean
  /** The number of items that were put off for longer than a turn lasts. */
  deferred(): number
  /** The times at which the next item and the next send become ready that are not in flight. */
  nextAt(): readonly (number | undefined)[]
  /** Forgets everything: the process is gone. */
  clear(): void
}

export interface SettledItem {
  readonly id: number
  readonly settlement: Settlement
  /** Wall time. */
  readonly at: number
  readonly next: StartedItem | undefined
}

/**
 * The longest wait that a turn covers, such as a back-off or the ten minutes of an unknown outcome; whatever waits
 * longer waits for `advance`.
 */
export const TURN_LASTS_MS = 15 * 60_000

interface Running {
  readonly item: StartedItem
  /** The sends that the handler recorded and that are not settled. */
  readonly waitsFor: Set<string>
}

export function createInFlight(): InFlight {
  const items = new Map<string, Running>()
  const sends = new Set<string>()
  /** By their ids: how many messages they stand for. */
  const deferred = new Map<number, number>()
  /** Sends without a fence: a handler may wait for one of them through a service of the app. */
  const appSends = new Set<string>()
  const codes = new Set<string>()
  let nextItem: number | undefined
  let nextSend: number | undefined
  const begin = (fence: Fence, item: StartedItem) => {
    deferred.delete(item.id)
    items.set(fence.lane, { item, waitsFor: new Set() })
  }

  return {
    itemBegun: begin,
    itemsClaimed({ held, nextAt }) {
      for (const { fence, work } of held) begin(fence, work)
      nextItem = nextAt
    },
    itemSettled(fence, { id, settlement, at, next }) {
      const messages = 1 + (items.get(fence.lane)?.item.earlier.length ?? 0)
      items.delete(fence.lane)
      deferred.delete(id)
      if (settlement.as === 'retry' && settlement.at - at > TURN_LASTS_MS) deferred.set(id, messages)
      if (next) begin(fence, next)
    },
    sendsClaimed({ held, nextAt }) {
      for (const { fence } of held) sends.add(fence.lane)
      nextSend = nextAt
    },
    sendBegun: (fence) => void sends.add(fence.lane),
    sendLaneReleased: (fence) => void sends.delete(fence.lane),
    sendRecorded(send, fence) {
      if (!isGoingOut(send.state)) return
      if (fence) items.get(fence.lane)?.waitsFor.add(send.id)
      else appSends.add(send.id)
    },
    sendSettled(send, { as }) {
      if (as === 'ready' || as === 'attempting' || as === 'fall_back') return
      appSends.delete(send)
      codes.delete(send)
      for (const { waitsFor } of items.values()) waitsFor.delete(send)
    },
    codeOpened: ({ id }) => void codes.add(id),
    inAppCode() {
      if (codes.size + appSends.size > 0) return []
      return [...items.values()].filter(({ waitsFor }) => waitsFor.size === 0).map(({ item }) => item)
    },
    giveUpOn(given) {
      for (const [lane, { item }] of items)
        if (given.includes(item)) {
          items.delete(lane)
          deferred.set(item.id, 1 + item.earlier.length)
        }
    },
    any: () => items.size + sends.size + codes.size > 0,
    deferred: () => [...deferred.values()].reduce((sum, messages) => sum + messages, 0),
    nextAt: () => [nextItem, nextSend],
    clear() {
      items.clear()
      sends.clear()
      appSends.clear()
      codes.clear()
      nextItem = nextSend = undefined
    },
  }
}
