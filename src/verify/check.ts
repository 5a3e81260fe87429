import type { Make, Shot } from './shot.ts'

/** One row of the conformance matrix: what is sent, what a receiver must make of it, and how to mend one that does not. */
export interface Check {
  /** Stable; `--only` takes it. */
  readonly id: string
  /** The rules that it proves; empty where it is advice alone. */
  readonly rules: readonly string[]
  /** `must`: where it falls, the receiver falls. `advice`: it is told of, and the receiver stands. */
  readonly level: 'must' | 'advice'
  /** A sentence about a receiver that is right. */
  readonly says: string
  readonly expects: Expectation
  readonly mend: string
  /** All shots at once; else one after the other, each after the answer before. */
  readonly atOnce?: true
  /** Runs beside all others, since it waits long. */
  readonly beside?: true
  /** How many deliveries the receiver handles, seen by whoever counts effects; without a counter it is not judged. */
  readonly effects?: number
  shots(make: Make): readonly Shot[]
}

/**
 * `acknowledged`  every answer is a 2xx
 * `soon`          and none takes long
 * `refused`       every answer is a 4xx
 * `alike`         and they are the same in status and body
 * `secretive`     and neither the secret nor a right signature stands in one
 * `capped`        a 4xx, or the connection is closed before the whole body was taken
 * `harmless`      an answer that is no 5xx
 * `ended`         any answer, or a closed connection, before patience ends
 */
export type Expectation = 'acknowledged' | 'soon' | 'refused' | 'alike' | 'secretive' | 'capped' | 'harmless' | 'ended'

/** What came of one check. Texts are for people; nothing in them holds a secret. */
export interface Verdict {
  readonly check: Check
  /** `skipped`: not judged, and `came` says why. */
  readonly state: 'passed' | 'failed' | 'warned' | 'skipped'
  readonly sent: string
  readonly came: string
  readonly expected: string
  /** Milliseconds, from the first shot to the last answer. */
  readonly ms: number
}
