import type { DeliveryChange } from '../../wire/happenings.ts'
import type { ThreadItem } from '../../wire/types.ts'

/**
 * Names the turn of each row. A turn is a customer's message and what followed about them until their next one, or what
 * the app sent unprompted. The service does not know which message a send answers, so time tells.
 */
export interface TurnIndex {
  /** Takes in a message on a phone, and begins a turn with it if it is the customer's. */
  add(customer: string, item: ThreadItem, id: string, at: string): void
  /** The turn that begins with a window: the emulator reports it just before the message that opened it. */
  ofWindow(customer: string, id: string, at: string): string
  ofCall(message: string | undefined, customer: string | undefined, at: string): string | undefined
  /** An event without a message is its own turn: its attempts belong together. */
  ofDelivery(delivery: DeliveryChange, at: string): string
  /** The turn that the customer is in; undefined if nothing was said in it for long. */
  ofCustomer(customer: string | undefined, at: string): string | undefined
  clear(): void
}

/** After this time without a message or a call, the next entry has another cause: the app sends unprompted. */
const QUIET_MS = 5 * 60_000

interface CurrentTurn {
  readonly id: string
  /** The emulator's time of the latest message, attempt or call, in milliseconds. */
  latest: number
  /** True between the report of the window and that of its message. */
  awaitsMessage: boolean
}

export function createTurnIndex(): TurnIndex {
  const current = new Map<string, CurrentTurn>()
  const byMessage = new Map<string, string>()

  function begin(customer: string, id: string, at: string, awaitsMessage = false): string {
    const turn = `turn-${id}`
    current.set(customer, { id: turn, latest: Date.parse(at), awaitsMessage })
    return turn
  }

  function ofCustomer(customer: string | undefined, at: string): string | undefined {
    const turn = customer === undefined ? undefined : current.get(customer)
    return turn && Math.abs(Date.parse(at) - turn.latest) <= QUIET_MS ? turn.id : undefined
  }

  /** Keeps the customer's turn from falling quiet, if that is their turn. */
  function keepAwake(customer: string | undefined, id: string | undefined, at: string): void {
    const turn = customer === undefined ? undefined : current.get(customer)
    if (turn !== undefined && turn.id === id) turn.latest = Date.parse(at)
  }

  function ofWriting(customer: string, id: string, at: string): string {
    const turn = current.get(customer)
    if (turn?.awaitsMessage !== true) return begin(customer, id, at)
    turn.awaitsMessage = false
    return turn.id
  }

  return {
    add(customer, item, id, at) {
      if (byMessage.has(item.id)) return
      const isWritten = item.direction === 'INBOUND'
      const turn = isWritten ? ofWriting(customer, id, at) : (ofCustomer(customer, at) ?? begin(customer, id, at))
      byMessage.set(item.id, turn)
    },
    ofWindow: (customer, id, at) => begin(customer, id, at, true),
    ofCall(message, customer, at) {
      const turn = byMessage.get(message ?? '') ?? ofCustomer(customer, at)
      keepAwake(customer, turn, at)
      return turn
    },
    ofDelivery({ id, event, message, customer }, at) {
      const turn = byMessage.get(message ?? '')
      // A status may come hours later: what the app sends after it has another cause.
      if (event === 'message.received') keepAwake(customer ?? undefined, turn, at)
      return turn ?? `delivery-${id}`
    },
    ofCustomer,
    clear() {
      current.clear()
      byMessage.clear()
    },
  }
}
