import { WINDOW_MS } from '../../contract/endpoints.ts'
import type { ThreadItem } from '../wire/types.ts'

/** A window that closed while nobody wrote. */
export interface Closing {
  /** When it closed: milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  /** The number whose window it was; undefined for the first. */
  readonly number: string | undefined
}

/**
 * Finds the windows that closed before each item of a phone, by the item's id, and those that have closed by `now` since
 * the last one, by the empty text. Each number has its own window, which the customer's messages to it open.
 */
export function closingsIn(items: readonly ThreadItem[], now?: number): ReadonlyMap<string, readonly Closing[]> {
  const open = new Map<string | undefined, number>()
  const found = new Map<string, readonly Closing[]>()

  function close(before: string, time: number): void {
    const closed = [...open].filter(([, at]) => at <= time).map(([number, at]) => ({ at, number }))
    for (const { number } of closed) open.delete(number)
    if (closed.length > 0)
      found.set(
        before,
        closed.toSorted((a, b) => a.at - b.at),
      )
  }

  for (const { id, at, number, direction } of items) {
    const time = Date.parse(at)
    close(id, time)
    if (direction === 'INBOUND') open.set(number, time + WINDOW_MS)
  }
  if (now !== undefined) close('', now)
  return found
}
