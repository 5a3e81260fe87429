/** A number's throttle, as the answers of the service left it. */
export interface NumberThrottle {
  /** The service takes nothing from this number until somebody mends it; otherwise it only asked for a pause. */
  readonly stopped: boolean
  /**
   * Wall time until which nothing goes out; then one send does, as a probe, and the next one a minute later. `OPEN` and
   * `PROBE_NOW` of the rules stand for no time.
   */
  readonly closedUntil: number
  /** Answers in a row that spoke of trouble. */
  readonly inARow: number
  readonly code: string | undefined
  readonly reason: string
}

/** A throttle that lets nothing out but a probe now and then. */
export interface ClosedThrottle extends NumberThrottle {
  readonly number: string
  /** Wall time at which it was closed in this way. */
  readonly since: number
}

/** The meaning of an answer for its number's throttle; `resumed` lets everything go that the throttle held. */
export type ThrottleChange = 'resumed' | NumberThrottle

/** A change of a number's throttle by an attempt. */
export interface ThrottleMove {
  readonly number: string
  readonly move: ThrottleChange
  /**
   * `inARow` of the throttle as the attempt knew it, 0 if there was none. If another process has changed the throttle
   * since, the attempt says nothing about now: it neither ends a pause nor changes it. Default: whatever it is now.
   */
  readonly seen?: number
}
