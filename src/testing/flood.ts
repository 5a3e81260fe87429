import { Endless } from './failures.ts'
import type { Line } from './service.ts'
import type { VirtualTime } from './time.ts'

/** So many messages to one customer in one moment are the work of a bot that goes on by itself. */
const FLOOD = 1_000
/** More are right where the customer writes many: so many may answer each. */
const ANSWERS = 10

/** Notices a bot that never comes to rest, such as one that sends for each status of what it sent. */
export interface FloodGuard {
  /** @throws Endless */
  check(): void
}

export function guardAgainstFlood(lines: readonly Line[], time: VirtualTime): FloodGuard {
  const left = new Map<string, number>()
  const known = new Set<string>()
  let moment = time.now()
  let flooded: string | undefined
  const begin = () => {
    moment = time.now()
    left.clear()
    known.clear()
  }

  for (const { emulator } of lines)
    emulator.watchThreads((customer, { id, direction }) => {
      if (time.now() !== moment) begin()
      if (known.has(id)) return
      known.add(id)
      const more = (left.get(customer) ?? FLOOD) + (direction === 'INBOUND' ? ANSWERS : -1)
      left.set(customer, more)
      if (more <= 0) flooded = customer
    })

  return {
    check() {
      const customer = flooded
      flooded = undefined
      if (customer === undefined) return
      begin()
      throw new Endless(customer, FLOOD)
    },
  }
}
