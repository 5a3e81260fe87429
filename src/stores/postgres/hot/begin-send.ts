import { IN_LANE } from '../../operations/sends/sends.ts'
import type { Fence, Via } from '../../port/index.ts'
import type { HotStatement } from './hot.ts'
import { lockLanes, stands } from './lock-lanes.ts'
import { listsOf, nullable, rowsOf } from './rows.ts'

/** A send of a claimed lane whose attempt is to begin. */
export interface BeginningAttempt {
  readonly fence: Fence
  readonly send: string
  readonly via: Via
  readonly now: number
  readonly bytes: string | undefined
}

/** Commits that attempts begin: see `beginSend` of the operations. */
export const beginSends: HotStatement<BeginningAttempt, 'begun' | 'gone' | 'lost'> = {
  name: 'beginSend',
  keysOf: ({ fence, send }) => [`lane ${fence.lane}`, `send ${send}`],
  async run(tx, group) {
    const locked = await lockLanes(
      tx,
      group.map(({ fence }) => fence.lane),
    )
    const standing = group.filter(({ fence }) => stands(locked, fence))
    const rows = standing.map(({ send, via, now, bytes }) => ({ send, chosen: via, now, bytes }))
    const begun = new Set<BeginningAttempt>()
    for (const { n } of await tx.rows<{ n: number }>(BEGIN, listsOf(BEGUN, rows)))
      begun.add(standing[n - 1] as BeginningAttempt)
    return group.map((each) => (begun.has(each) ? 'begun' : stands(locked, each.fence) ? 'gone' : 'lost'))
  },
}

const BEGUN = { send: 'text', chosen: 'text', now: 'bigint', bytes: nullable('text') } as const

/** A send is looked up by its id alone: a plan that was made while few waited would go through all that wait. */
const BEGIN = `
UPDATE sends SET state = 'attempting', via = g.chosen, attempts = attempts + 1,
  attempting_since = CASE WHEN state = 'attempting' THEN coalesce(attempting_since, g.now) ELSE g.now END,
  first_attempt_at = coalesce(first_attempt_at, g.now)
FROM ${rowsOf(BEGUN)} CROSS JOIN LATERAL (
  SELECT seq AS found, ${IN_LANE.text} AND (g.bytes IS NULL OR g.bytes IN (body, fallback_body)) AS begins
  FROM sends WHERE id = g.send LIMIT 1 FOR UPDATE) AS s
WHERE sends.seq = s.found AND s.begins
RETURNING g.n`
