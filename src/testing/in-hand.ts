import {
  type Claimed,
  type DueSend,
  type Fence,
  isGoingOut,
  type SendRow,
  type SendSettlement,
  type Settlement,
  type StartedItem,
} from '../stores/port/index.ts'

/**
 * What the bot has begun and not settled, read off what it asks of its store. A handler that waits for a send waits for
 * the service, and so perhaps for time to pass; any other handler is in code of the app's own, and time must not pass
 * it by.
 */
export interface InHand {
  claimedItems(claimed: Claimed<StartedItem>): void
  settledItem(fence: Fence, settled: SettledItem): void
  claimedSends(claimed: Claimed<DueSend>): void
  endedSend(fence: Fence): void
  openedSend(send: SendRow, fence: Fence | undefined): void
  settledSend(send: string, settlement: SendSettlement): void
  codes(more: 1 | -1): void
  /** Handlers in code of the app's own. */
  busy(): readonly StartedItem[]
  /** These are waited for no more: they are as though put off for long. */
  giveUpOn(busy: readonly StartedItem[]): void
  any(): boolean
  /** How many items were put off for longer than a turn lasts. */
  putOff(): number
  /** When the next item and the next send are ready that are not in hand. */
  nextAt(): readonly (number | undefined)[]
  /** The process is gone, and with it all that it had in hand. */
  forget(): void
}

export interface SettledItem {
  readonly id: number
  readonly settlement: Settlement
  /** Wall time. */
  readonly at: number
  readonly next: StartedItem | undefined
}

/** A back-off, and the ten minutes of an unknown outcome, pass within a turn; what waits longer waits for `advance`. */
export const TURN_LASTS_MS = 15 * 60_000

interface Running {
  readonly item: StartedItem
  /** The sends that it asked for and that are not settled. */
  readonly waitsFor: Set<string>
}

export function createInHand(): InHand {
  const items = new Map<string, Running>()
  const sends = new Set<string>()
  const late = new Set<number>()
  /** Sends of the app's own: a handler may wait for one of them through a service of the app. */
  const loose = new Set<string>()
  let codes = 0
  let nextItem: number | undefined
  let nextSend: number | undefined
  const begin = (fence: Fence, item: StartedItem) => {
    late.delete(item.id)
    items.set(fence.lane, { item, waitsFor: new Set() })
  }

  return {
    claimedItems({ held, nextAt }) {
      for (const { fence, work } of held) begin(fence, work)
      nextItem = nextAt
    },
    settledItem(fence, { id, settlement, at, next }) {
      items.delete(fence.lane)
      late.delete(id)
      if (settlement.as === 'retry' && settlement.at - at > TURN_LASTS_MS) late.add(id)
      if (next) begin(fence, next)
    },
    claimedSends({ held, nextAt }) {
      for (const { fence } of held) sends.add(fence.lane)
      nextSend = nextAt
    },
    endedSend: (fence) => void sends.delete(fence.lane),
    openedSend(send, fence) {
      if (!isGoingOut(send.state)) return
      if (fence) items.get(fence.lane)?.waitsFor.add(send.id)
      else loose.add(send.id)
    },
    settledSend(send, { as }) {
      if (as === 'ready' || as === 'attempting' || as === 'fall_back') return
      loose.delete(send)
      for (const { waitsFor } of items.values()) waitsFor.delete(send)
    },
    codes(more) {
      codes += more
    },
    busy: () =>
      codes + loose.size > 0
        ? []
        : [...items.values()].filter(({ waitsFor }) => waitsFor.size === 0).map(({ item }) => item),
    giveUpOn(busy) {
      for (const [lane, { item }] of items)
        if (busy.includes(item)) {
          items.delete(lane)
          late.add(item.id)
        }
    },
    any: () => items.size + sends.size + codes > 0,
    putOff: () => late.size,
    nextAt: () => [nextItem, nextSend],
    forget() {
      items.clear()
      sends.clear()
      loose.clear()
      codes = 0
      nextItem = nextSend = undefined
    },
  }
}
