/** A lane is the order of one customer's deliveries, or sends, on one number: one at a time. */
export type LaneKind = 'item' | 'send'

/**
 * The lease of a running item or send. It is checked in the transaction of each effect: once another process has taken the
 * item over, an effect of the earlier run changes nothing.
 */
export interface Fence {
  readonly lane: string
  /** The item's id, or the send's. */
  readonly of: number | string
  /** The process that runs it. */
  readonly owner: number
  /** Rises with each begin. */
  readonly run: number
}

/** The key of a lane begins with the name of its number, which has no slash. */
export function numberOf(lane: string): string {
  return lane.slice(0, lane.indexOf('/'))
}

/** Room in a process for work that begins; an operation asks for it within its commit. */
export interface Room {
  /** Takes room for one more of a number; false if there is none, or if the number has its share. */
  take(number: string): boolean
  /** Returns what was taken for work that did not begin after all. */
  give(number: string): void
  /** Numbers that have their share, so that their lanes need not be read. Default: none. */
  full?(): readonly string[]
}

/** The lease under which a process works. */
export interface Lease {
  /** The name of the process, which no other process ever has. */
  readonly owner: string
  /** Wall time. */
  readonly now: number
  readonly leaseMs: number
}

/** Lets an operation begin work in the commit that stores it. */
export interface Beginning extends Lease {
  readonly room: Room
}

export interface Claim extends Lease {
  readonly limit: number
  /** Default: room for `limit`. */
  readonly room?: Room
  /** The number that was served last: those behind it, by name, go first. Default: by name from the first. */
  readonly after?: string | undefined
  /** Begin suspects too: see `StartedItem.suspect`. Default true. */
  readonly suspects?: boolean
  /** Take nothing while deliveries wait for ingest. Default: take what is ready. */
  readonly unlessUnread?: boolean
  /** Service time, by which scheduled sends and timers are due; default `now`. */
  readonly serviceNow?: number
  /** Report one-time codes whose process is gone, by items. */
  readonly tells?: boolean
}

export interface Begun<Work> {
  readonly fence: Fence
  readonly work: Work
}

export interface Claimed<Work> {
  readonly begun: readonly Begun<Work>[]
  /** Wall time at which the next lane is ready; undefined if none waits. */
  readonly nextAt: number | undefined
  /** Nothing was taken: deliveries wait for ingest, and may belong before what is ready. */
  readonly unread?: true
  /** Nothing was taken: this process was declared dead. It needs another name. */
  readonly dead?: true
  /** The schema of a newer release that has migrated the database: nothing is claimed here any more. */
  readonly newerSchema?: number
}

/** What follows a settlement: `now` is wall time; with `goOn` the lane's next work begins at once, if there is room. */
export interface Next {
  readonly now: number
  readonly goOn: boolean
  /** Default: there is. */
  readonly room?: Room
}

/** `hasLease: false`: the lease was lost, and nothing was changed. */
export interface Settled<Work> {
  readonly hasLease: boolean
  /** Nothing was settled, and the item still runs: the session of the settlement and a newer one changed the same key. */
  readonly sessionChanged?: true
  readonly next: Begun<Work> | undefined
  readonly behind?: number
}
