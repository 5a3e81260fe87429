import { all, sql, type Steps } from '../steps.ts'
import type { RemovedSend } from './prune-sends.ts'

interface Cause {
  readonly cause: string
  readonly number: string
}

interface CausedSend extends Cause, RemovedSend {
  readonly seq: number
  readonly state: string
}

/**
 * The sends of these causes, in the order of their recording. They are not joined to the items that have the causes: an
 * engine that does not know how many sends a cause has may go through all there are.
 */
export function* sendsOfCauses(causes: readonly Cause[]): Steps<readonly CausedSend[]> {
  const known = new Set(causes.map(keyOf))
  const sends = yield* all<CausedSend>(sql`
    SELECT seq, id, state, message_id, upstream_id, cause, number FROM sends
    WHERE cause IN list(${JSON.stringify(causes.map(({ cause }) => cause))})`)
  return sends.filter((send) => known.has(keyOf(send))).toSorted((a, b) => a.seq - b.seq)
}

function keyOf({ cause, number }: Cause): string {
  return JSON.stringify([cause, number])
}
