import type {
  Claimed,
  CustomerOfNumber,
  DueSend,
  Fence,
  SendRow,
  SendSettlement,
  Settlement,
  StartedItem,
} from '../../store/types/types.ts'
import { isGoingOut } from '../../store/rules/sends.ts'

interface SettledItem {
  readonly id: number
  readonly settlement: Settlement
  readonly at: number
  readonly next: StartedItem | undefined
}

/**
 * The longest wait that a turn covers, such as a back-off or the ten minutes of an unknown outcome. Longer waits need
 * `advance`.
 */
export const TURN_LASTS_MS = 15 * 60_000

const SENT_EVENT = 'an event about what the number sent'

interface Running {
  readonly item: StartedItem
  /** The handler's sends that are not settled, and the event that its reply waits for. */
  readonly waitsFor: Set<string>
}

export type InFlight = ReturnType<typeof createInFlight>

/**
 * Tracks the items and sends that the bot has begun and not settled, by its calls to the store. A handler that waits
 * for a send waits for the service, and so perhaps for time to pass. Any other handler runs the app's own code, and no
 * time may pass until it ends.
 */
export function createInFlight() {
  const items = new Map<string, Running>()
  const sends = new Set<string>()
  /** By id: the number of messages that an item stands for. */
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
    /** For an item that began in the commit that stored it. */
    itemBegun: begin,
    itemsClaimed({ begun, nextAt }: Claimed<StartedItem>) {
      for (const { fence, work } of begun) begin(fence, work)
      nextItem = nextAt
    },
    itemSettled(fence: Fence, { id, settlement, at, next }: SettledItem) {
      const messages = 1 + (items.get(fence.lane)?.item.earlier.length ?? 0)
      items.delete(fence.lane)
      deferred.delete(id)
      if (settlement.as === 'retry' && settlement.at - at > TURN_LASTS_MS) deferred.set(id, messages)
      if (next) begin(fence, next)
    },
    sendsClaimed({ begun, nextAt }: Claimed<DueSend>) {
      for (const { fence } of begun) sends.add(fence.lane)
      nextSend = nextAt
    },
    sendBegun: (fence: Fence) => void sends.add(fence.lane),
    sendLaneReleased: (fence: Fence) => void sends.delete(fence.lane),
    /** A reply waits for the end of an event, and so perhaps for time to pass. */
    sentEventAwaited({ number, customer }: CustomerOfNumber, isOpen: boolean) {
      const { waitsFor } = items.get(`${number}/${customer}`) ?? {}
      if (isOpen) waitsFor?.add(SENT_EVENT)
      else waitsFor?.delete(SENT_EVENT)
    },
    sendRecorded(send: SendRow, fence: Fence | undefined) {
      if (fence) items.get(fence.lane)?.waitsFor.delete(SENT_EVENT)
      if (!isGoingOut(send.state)) return
      if (fence) items.get(fence.lane)?.waitsFor.add(send.id)
      else appSends.add(send.id)
    },
    sendSettled(send: string, { as }: SendSettlement) {
      if (as === 'ready' || as === 'attempting' || as === 'fall_back') return
      appSends.delete(send)
      codes.delete(send)
      for (const { waitsFor } of items.values()) waitsFor.delete(send)
    },
    /** A one-time code goes out outside of every lane. */
    codeOpened: ({ id }: SendRow) => void codes.add(id),
    /** True if a handler runs the app's own code. */
    inAppCode(): boolean {
      if (codes.size + appSends.size > 0) return false
      return [...items.values()].some(({ waitsFor }) => waitsFor.size === 0)
    },
    any: () => items.size + sends.size + codes.size > 0,
    /** The number of messages that were postponed for longer than a turn lasts. */
    deferred: () => [...deferred.values()].reduce((sum, messages) => sum + messages, 0),
    /** The times at which the next item and the next send that are not in flight become ready. */
    nextAt: () => [nextItem, nextSend],
    /** Call this when the process has ended. */
    clear() {
      items.clear()
      sends.clear()
      appSends.clear()
      codes.clear()
      nextItem = nextSend = undefined
    },
  }
}
