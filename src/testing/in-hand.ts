import type { Claimed, DueSend, Fence, SendRow, SendSettlement, StartedItem } from '../stores/port/index.ts'

/**
 * What the bot has begun and not settled, read off what it asks of its store. A handler that waits for a send waits for
 * the service, and so perhaps for time to pass; any other handler is in code of the app's own, and time must not pass
 * it by.
 */
export interface InHand {
  claimedItems(claimed: Claimed<StartedItem>): void
  settledItem(fence: Fence, next: StartedItem | undefined): void
  claimedSends(claimed: Claimed<DueSend>): void
  endedSend(fence: Fence): void
  openedSend(send: SendRow, fence: Fence | undefined): void
  settledSend(send: string, settlement: SendSettlement): void
  codes(more: 1 | -1): void
  /** Handlers in code of the app's own. */
  busy(): readonly StartedItem[]
  any(): boolean
  /** When the next item and the next send are ready that are not in hand. */
  nextAt(): readonly (number | undefined)[]
  /** The process is gone, and with it all that it had in hand. */
  forget(): void
}

interface Running {
  readonly item: StartedItem
  /** The sends that it asked for and that are not settled. */
  readonly waitsFor: Set<string>
}

export function createInHand(): InHand {
  const items = new Map<string, Running>()
  const sends = new Set<string>()
  let codes = 0
  let nextItem: number | undefined
  let nextSend: number | undefined
  const begin = (fence: Fence, item: StartedItem) => items.set(fence.lane, { item, waitsFor: new Set() })

  return {
    claimedItems({ held, nextAt }) {
      for (const { fence, work } of held) begin(fence, work)
      nextItem = nextAt
    },
    settledItem(fence, next) {
      items.delete(fence.lane)
      if (next) begin(fence, next)
    },
    claimedSends({ held, nextAt }) {
      for (const { fence } of held) sends.add(fence.lane)
      nextSend = nextAt
    },
    endedSend: (fence) => void sends.delete(fence.lane),
    openedSend(send, fence) {
      const isOpen = send.state === 'ready' || send.state === 'attempting'
      if (fence && isOpen) items.get(fence.lane)?.waitsFor.add(send.id)
    },
    settledSend(send, { as }) {
      if (as === 'ready' || as === 'attempting' || as === 'fall_back') return
      for (const { waitsFor } of items.values()) waitsFor.delete(send)
    },
    codes(more) {
      codes += more
    },
    busy: () =>
      codes > 0 ? [] : [...items.values()].filter(({ waitsFor }) => waitsFor.size === 0).map(({ item }) => item),
    any: () => items.size + sends.size + codes > 0,
    nextAt: () => [nextItem, nextSend],
    forget() {
      items.clear()
      sends.clear()
      codes = 0
      nextItem = nextSend = undefined
    },
  }
}
