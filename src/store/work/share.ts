/** Room for lanes in a process, shared by several numbers. */
export interface SharedRoom {
  /** How many more lanes may begin. */
  readonly free: number
  /** How many lanes each number has begun. */
  readonly byNumber: ReadonlyMap<string, number>
}

/** One of several numbers may have this many lanes for each free lane. So an eighth stays free for others. */
const SHARE = 7

export function hasShare({ free, byNumber }: SharedRoom, number: string): boolean {
  return (byNumber.get(number) ?? 0) >= SHARE * free
}

/** Returns the numbers that have used up their share. They get no more lanes until lanes are free again. */
export function numbersWithShare(room: SharedRoom): string[] {
  return [...room.byNumber.keys()].filter((number) => hasShare(room, number))
}

/** Returns a function that takes one lane of a number from a copy of the room. Without `shared` it always succeeds. */
export function takeFrom(shared: SharedRoom | undefined): (number: string) => boolean {
  if (!shared) return () => true
  let { free } = shared
  const byNumber = new Map(shared.byNumber)
  return (number) => {
    if (free <= 0 || hasShare({ free, byNumber }, number)) return false
    free--
    byNumber.set(number, (byNumber.get(number) ?? 0) + 1)
    return true
  }
}

/** Returns the first of each list, then the second of each, and so on. */
export function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, nth) => lists.flatMap((list) => list.slice(nth, nth + 1))).flat()
}
