/** An operation that waits for its group, or is under way in one. */
export interface Queued<Asked> {
  readonly asked: Asked
  /** When it was asked for, among all operations of the process. */
  readonly number: number
  readonly kept: boolean
  /** By the monotonic clock, like the next one. */
  readonly askedAt: number
  /** It waits so long for a database that does not answer; a kept one waits on. */
  readonly until: number
  /** So often the server has failed to do it. */
  failures: number
  settled: boolean
  /** See `Asking`. */
  readonly unwanted: ((result: unknown) => void) | undefined
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * The most operations of a group: others wait for the lock meanwhile. The settlements of all lanes of a process, 64 by
 * default, go in one group with a claim: if one were left for the next group, the claim would take another lane into
 * its slot, and from then on each group would have settlements for one statement and lanes for another two.
 */
const BATCH = 128
/** After so many passing failures an operation is not asked of its statement any more. */
const OFTEN = 5
/** A shorter wait counts for none: a group is under way for less, as a rule. */
const LONG_WAIT_MS = 250

export function waitedSince(askedAt: number, now: number): number {
  return now - askedAt < LONG_WAIT_MS ? 0 : Math.ceil(now - askedAt)
}

export function failsOften(operation: Queued<unknown>): boolean {
  return !operation.settled && ++operation.failures >= OFTEN
}

/** The operations that share the next transaction, in the order in which they came. */
export function groupOf<Asked>(
  queue: readonly Queued<Asked>[],
  keysOf: (asked: Asked) => readonly string[] = () => [],
): ReadonlySet<Queued<Asked>> {
  const group = new Set<Queued<Asked>>()
  const taken = new Set<string>()
  for (const operation of queue) {
    if (group.size === BATCH) break
    const keys = keysOf(operation.asked)
    if (keys.some((key) => taken.has(key))) continue
    group.add(operation)
    for (const key of keys) taken.add(key)
  }
  return group
}

/** Of acceptances in one transaction the oldest payload time goes first; all else keeps its place. */
export function inOrder<Asked>(
  group: readonly Queued<Asked>[],
  atOf: (asked: Asked) => number | undefined = () => undefined,
): readonly Queued<Asked>[] {
  const accepting = group
    .filter(({ asked }) => atOf(asked) !== undefined)
    .sort((a, b) => (atOf(a.asked) ?? 0) - (atOf(b.asked) ?? 0))
  let next = 0
  return group.map((operation) => (atOf(operation.asked) === undefined ? operation : (accepting[next++] ?? operation)))
}
