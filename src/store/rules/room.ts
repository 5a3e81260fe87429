/** Room for lanes in a process, while several numbers share it. */
export interface SharedRoom {
  /** So many more lanes may begin. */
  readonly free: number
  /** The lanes of each number that have room. */
  readonly taken: ReadonlyMap<string, number>
}

/** A number of several may have so many times the lanes that are free: an eighth stays free for others. */
const SHARE = 7

export function hasShare({ free, taken }: SharedRoom, number: string): boolean {
  return (taken.get(number) ?? 0) >= SHARE * free
}

/** Numbers that have their share: they get no more until they give some back, or others do. */
export function numbersWithShare(room: SharedRoom): string[] {
  return [...room.taken.keys()].filter((number) => hasShare(room, number))
}

/** A copy of the room, from which a claim takes. Without `shared` one number may have all. */
export function takeFrom(shared: SharedRoom | undefined): (number: string) => boolean {
  if (!shared) return () => true
  let { free } = shared
  const taken = new Map(shared.taken)
  return (number) => {
    if (free <= 0 || hasShare({ free, taken }, number)) return false
    free--
    taken.set(number, (taken.get(number) ?? 0) + 1)
    return true
  }
}
