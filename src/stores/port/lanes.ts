/**
 * A lane is the order of one customer's deliveries on one number: one at a time. It has a time at which it is ready
 * and, while somebody works on it, an owner with a fencing token and a lease.
 *
 * `code`: one send, which is in the memory of the process that holds the lane; nobody else claims it.
 */
export type LaneKind = 'item' | 'send' | 'code'

/**
 * Proof of holding a lane: nobody has taken it since. An expired lease that nobody took still counts. It is checked in
 * the transaction of each effect, so that who lost the lane changes nothing.
 */
export interface Fence {
  readonly lane: string
  readonly owner: string
  readonly token: number
}

/** The key of a lane begins with the name of its number, which has no slash. */
export function numberOf(lane: string): string {
  return lane.slice(0, lane.indexOf('/'))
}

/** Room in a process for work that begins; an operation asks for it within its commit. */
export interface Room {
  /** Takes room for one more of a number; false if there is none, or if the number has its share. */
  take(number: string): boolean
  /** Gives back what was taken for work that did not begin after all. */
  give(number: string): void
  /** No more than so many can be taken now. Default: nobody knows. */
  free?(): number
  /** Numbers that have their share, so that their lanes need not be looked at. Default: none. */
  full?(): readonly string[]
}

/** Lets an operation begin work in the commit that stores it. */
export interface Beginning {
  readonly owner: string
  /** Wall time. */
  readonly now: number
  readonly leaseMs: number
  readonly room: Room
}

export interface Claim {
  readonly owner: string
  readonly limit: number
  /** Default: room for `limit`. */
  readonly room?: Room
  /** Wall time. */
  readonly now: number
  readonly leaseMs: number
  /** Lanes that the claimer holds already: not taken again, even if their lease has expired meanwhile. */
  readonly holding?: readonly string[]
  /** The number whose turn was last: the one behind it, by name, has its turn first. Default: by name from the first. */
  readonly after?: string | undefined
  /** Begin suspects too: see `StartedItem.suspect`. Default true. */
  readonly suspects?: boolean
  /** Take nothing while deliveries are pending. Default: take what is ready. */
  readonly unlessPending?: boolean
  /** Service time, by which scheduled sends and timers are due; default `now`. */
  readonly serviceNow?: number
  /** Tell of one-time codes whose process is gone, by items. */
  readonly tells?: boolean
}

export interface Held<Work> {
  readonly fence: Fence
  readonly work: Work
}

export interface Claimed<Work> {
  readonly held: readonly Held<Work>[]
  /** Wall time at which the next lane is ready, or another owner's lease ends; undefined if no lane waits. */
  readonly nextAt: number | undefined
  /** Nothing was taken, since deliveries are pending: what they say may belong before what is ready. */
  readonly pending?: true
  /** The schema of a newer release that took the store over: nothing is claimed here any more. */
  readonly newerSchema?: number
}

/** The end of a settlement: `now` is wall time; with `goOn` the lane's next work begins at once, if there is room. */
export interface Next {
  readonly now: number
  readonly goOn: boolean
  /** Default: there is. */
  readonly room?: Room
}

/** `held: false`: the lane was lost, and nothing was changed. Without `next` the lane was released. */
export interface Settled<Work> {
  readonly held: boolean
  /** Nothing was settled, and the lane is held still: the session of the settlement and a newer one changed the same key. */
  readonly sessionChanged?: true
  readonly next: Work | undefined
  readonly behind?: number
}
