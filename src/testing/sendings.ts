import type { ThreadItem } from '../emulator/model/thread.ts'
import type { Line } from './service.ts'
import { type Sent, shownOf } from './shown.ts'

/** One thing that went out, as it stands now. */
export interface Sending {
  readonly line: Line
  readonly to: string
  readonly item: ThreadItem
}

/** All that went out on all numbers, and what was refused, in its order. */
export interface Sendings {
  /** How many there were so far. */
  count(): number
  /** All after the first `count`. */
  since(count: number): readonly Sending[]
}

export function recordSendings(lines: readonly Line[]): Sendings {
  const all: Sending[] = []
  const places = new Map<string, number>()
  for (const line of lines)
    line.emulator.watchThreads((to, item) => {
      if (item.direction === 'INBOUND') return
      const id = `${line.number} ${item.id}`
      // A status changes what is there already.
      const place = places.get(id) ?? all.length
      places.set(id, place)
      all[place] = { line, to, item }
    })
  return { count: () => all.length, since: (count) => all.slice(count) }
}

const shown = new WeakMap<ThreadItem, Sent>()

/** Hundreds of turns at once have each what all of them sent, so it is made once. */
export function sentOf({ to, item }: Sending): Sent {
  const before = shown.get(item)
  if (before) return before
  const sent = { to, ...shownOf(item) }
  shown.set(item, sent)
  return sent
}
