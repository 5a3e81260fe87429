import { hasShare, numbersWithShare, type SharedRoom } from '../../store/work/share.ts'
import type { Claim } from '../../store/work/lanes.ts'

/** A claim looks for this many more lanes than are known to wait. */
const UNKNOWN = 4

export class Room {
  readonly #isShared: boolean
  readonly #byNumber = new Map<string, number>()
  #free: number
  /** True if work in the store waits for room. Then work that arrives gets no room. */
  #olderWaits = false
  /** How many lanes found no room since the last claim began. Infinity if that claim left due work. */
  #refused = 0
  /** Numbers that have used their share of the room, while more of their work waits in the store. */
  #overShare = new Set<string>()

  /** @param o.shared true if several numbers share the room. One number that works alone may use all of it. */
  constructor(lanes: number, { shared }: { readonly shared: boolean }) {
    this.#free = lanes
    this.#isShared = shared
  }

  get olderWaits(): boolean {
    return this.#olderWaits
  }

  get isWanted(): boolean {
    return this.#free > 0 && (this.#olderWaits || this.#overShare.size > 0)
  }

  get isFull(): boolean {
    return this.#free <= 0
  }

  /** Takes room for work that arrives. Returns false if there is none. */
  reserve(number: string): boolean {
    if (this.isFull || this.#olderWaits) this.#refused++
    else if (!this.#overShare.has(number) && this.take(number)) return true
    else this.#overShare.add(number)
    return false
  }

  /** Takes room for the lanes that are known to wait, and for a few others. Work that arrives meanwhile gets the rest. */
  reserveForClaim(): Pick<Claim, 'limit' | 'shared'> {
    if (this.isFull) this.#olderWaits = true
    const shared = this.#isShared ? { free: this.#free, byNumber: new Map(this.#byNumber) } : undefined
    // The claim skips these numbers, whose share is used up. If one frees room meanwhile, another claim is needed.
    for (const number of this.#withShare()) this.#overShare.add(number)
    const limit = Math.min(this.#free, this.#refused + Math.min(UNKNOWN, Math.ceil(this.#free / 2)))
    if (limit > 0) this.#refused = 0
    this.#free -= limit
    return { limit, shared }
  }

  /** @param began for each lane whose work the claim began: its business number. */
  endClaim(limit: number, began: readonly string[], { olderWaits }: { readonly olderWaits: boolean }): void {
    this.#free += limit
    for (const number of began) this.#takeOne(number)
    this.#olderWaits = olderWaits
    if (olderWaits) this.#refused = Infinity
    this.#overShare = new Set(this.#withShare())
  }

  take(number: string): boolean {
    if (this.#free <= 0 || (this.#isShared && hasShare(this.#shared, number))) return false
    this.#takeOne(number)
    return true
  }

  free(number: string): void {
    this.#free++
    if (!this.#isShared) return
    const left = (this.#byNumber.get(number) ?? 0) - 1
    if (left > 0) this.#byNumber.set(number, left)
    else this.#byNumber.delete(number)
  }

  #takeOne(number: string): void {
    this.#free--
    if (this.#isShared) this.#byNumber.set(number, (this.#byNumber.get(number) ?? 0) + 1)
  }

  #withShare(): readonly string[] {
    return this.#isShared ? numbersWithShare(this.#shared) : []
  }

  get #shared(): SharedRoom {
    return { free: this.#free, byNumber: this.#byNumber }
  }
}
