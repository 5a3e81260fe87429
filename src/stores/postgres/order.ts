/** An operation writes alone, or beside others of its own kind and of other kinds. */
export type Way = 'alone' | 'beside'

export interface Order {
  /** An operation is asked for; the answer is its number, which says when that was. */
  enter(way: Way): number
  leave(way: Way, number: number): void
  /** Operations of this way may go if their number is lower. */
  bound(way: Way): number
  changed(): Promise<void>
  /** Why a commit of this process did not come about, of whatever way; undefined once one has. */
  failure: unknown
}

/**
 * The order of a process's own operations. What writes alone goes behind all that was asked for before it, and before all
 * that is asked for later: so a settlement follows the results that its handlers have kept, and a claim finds what was
 * ingested in the same turn. It costs little, since the database would let no two of them go at once.
 */
export function createOrder(): Order {
  const outstanding = { alone: new Set<number>(), beside: new Set<number>() }
  let last = 0
  let waiting: (() => void)[] = []
  return {
    enter(way) {
      outstanding[way].add(++last)
      return last
    },
    leave(way, number) {
      outstanding[way].delete(number)
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    bound(way) {
      // A set keeps the order in which its members came.
      const [first = Infinity] = outstanding[way === 'alone' ? 'beside' : 'alone']
      return first
    },
    failure: undefined,
    changed: () => new Promise((resolve) => void waiting.push(resolve)),
  }
}
