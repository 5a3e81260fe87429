import { hash } from 'node:crypto'
import { sql } from '../../../store/database/sql.ts'
import { grouped } from '../../../store/database/statements.ts'
import { all, exists, execute, one, type Steps } from '../../../store/database/steps.ts'
import { inbox, work } from '../../../store/database/inbox-tables.ts'
import { openOutside, stand } from '../../../store/work/bundles.ts'
import type { GatheredItem, Gatherer } from '../../../store/database/store-effects.ts'
import { markFollowed } from '../../../store/work/lanes.ts'
import { type BurstRules, type Gathered, isFull, readyAfterGathering } from './burst-rules.ts'

/** Gathers a customer's messages. They become a bundle when the customer writes no more and the lane is free. */
export const gatherer: Gatherer<BurstRules> = { gather, seal, sealIfFree, sealWaiting }

function* gather(item: GatheredItem, rules: BurstRules): Steps<boolean> {
  const { lane, now } = item
  const wasFree = !(yield* isBusy(lane))
  yield* openOutside({ ...item, state: 'gathering' })
  const gathered = (yield* one<Gathered>(sql`
    SELECT count(*) AS messages, min(since) AS since FROM ${work} WHERE state = 'gathering' AND lane = ${lane}`)) as Gathered
  if (isFull(rules, gathered)) yield* seal(lane, now)
  else
    yield* execute(sql`
      UPDATE ${work} SET due = ${readyAfterGathering(rules, gathered, now)} WHERE state = 'gathering' AND lane = ${lane}`)
  return wasFree
}

function isBusy(lane: string): Steps<boolean> {
  return exists(sql`
    SELECT 1 FROM ${work} WHERE lane = ${lane} AND place < 2 UNION ALL SELECT 1 FROM ${work} WHERE lane = ${lane} AND state = 'gathering'
    LIMIT 1`)
}

function* sealIfFree(lane: string, now: number): Steps<void> {
  const busy = yield* one(sql`SELECT 1 FROM ${work} WHERE lane = ${lane} AND place < 2`)
  if (!busy) return yield* seal(lane, now)
  yield* markFollowed('work', lane)
  yield* execute(sql`UPDATE ${work} SET due = NULL WHERE state = 'gathering' AND lane = ${lane}`)
}

const WAITS = grouped(
  { lane: work.lane, now: work.since },
  ({ lane, now }) => sql`
    SELECT 1 AS waits FROM ${work} WHERE state = 'gathering' AND lane = ${lane} AND (due IS NULL OR due <= ${now}) LIMIT 1`,
)

function* sealWaiting(lane: string, now: number): Steps<boolean> {
  if (!(yield* one(WAITS({ lane, now })))) return false
  yield* seal(lane, now)
  return true
}

function* seal(lane: string, now: number): Steps<void> {
  const members = yield* all<{ id: number; cause: string; at: number }>(sql`
    SELECT i.id, i.cause, i.at FROM ${work} w JOIN ${inbox} i ON i.id = w.item
    WHERE w.state = 'gathering' AND w.lane = ${lane} ORDER BY i.at, i.id`)
  const [first] = members
  const last = members.at(-1)
  if (!first || !last) return
  // A single message is no bundle, and keeps its own cause. Several get one cause together.
  const bundle = members.length === 1 ? undefined : last.id
  if (bundle !== undefined) {
    const cause = `burst:${hash('sha256', JSON.stringify(members.map((member) => member.cause)), 'base64url')}`
    for (const { id } of members)
      yield* execute(sql`UPDATE ${inbox} SET bundle = ${bundle}, cause = ${cause} WHERE id = ${id}`)
  }
  yield* execute(sql`
    UPDATE ${work} SET state = 'stored', bundle = ${bundle}, due = NULL WHERE state = 'gathering' AND lane = ${lane}`)
  yield* stand(last.id, first.at, lane, now)
}
