/** States of a work row. Only the first two are in the unique index of lanes. */
export const STATE = {
  /** First in its lane and without an owner: begins at `due`. Also a back-off of up to 30 s, which holds the lane. */
  head: 0,
  running: 1,
  /** Behind the head of its lane, or behind the one that runs. */
  behind: 2,
  /** Outside the lane until `due`: a longer back-off, a schedule, a burst that still gathers. */
  waiting: 3,
  parked: 4,
  dead: 5,
  /** Waiting for a person: a conflict, quarantined, held, unknown. */
  person: 6,
  /** Ended long after its receipt. Pruning removes it at `due`. */
  ended: 7,
} as const

/** A longer back-off leaves the lane, so that the customer's next message does not wait for it, milliseconds. */
export const HOLDS_LANE_MS = 30_000
