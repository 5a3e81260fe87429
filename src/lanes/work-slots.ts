/** The slots of a process for work in lanes, which the numbers of a bot share. */
export interface Slots {
  readonly free: number
  /** Takes a slot for a number; false if there is none, or if the number has its share. */
  take(number: string): boolean
  give(number: string): void
  /** Numbers that have their share: they get no slot until they give one back, or others do. */
  full(): readonly string[]
}

/**
 * A number of several gets another slot while it has fewer than so many times those that are free. However much comes
 * for one number, an eighth of the slots stays free, so that another number's message begins at once; and the more
 * numbers are at work, the smaller is the share of each.
 */
const SHARE = 7

/** @param o.shared several numbers share the slots; one alone may have them all. */
export function createSlots(count: number, { shared }: { shared: boolean }): Slots {
  const taken = new Map<string, number>()
  let free = count

  const hasShare = (slots: number) => shared && slots >= SHARE * free

  return {
    get free() {
      return free
    },
    take(number) {
      const slots = taken.get(number) ?? 0
      if (free <= 0 || hasShare(slots)) return false
      free--
      if (shared) taken.set(number, slots + 1)
      return true
    },
    give(number) {
      free++
      if (!shared) return
      const left = (taken.get(number) ?? 0) - 1
      if (left > 0) taken.set(number, left)
      else taken.delete(number)
    },
    full: () => [...taken].filter(([, slots]) => hasShare(slots)).map(([number]) => number),
  }
}
