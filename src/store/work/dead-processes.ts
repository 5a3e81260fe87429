import * as builtIn from '../../built-in/ended-processes.ts'
import { sql } from '../database/sql.ts'
import { processes } from '../database/inbox-tables.ts'
import { all, execute, type Steps, type Tx } from '../database/steps.ts'
import type { Claim, Lease, Others } from './lanes.ts'
import { free, moveBack } from './processes.ts'

export interface EndingLease extends Lease, Pick<Claim, 'tells'> {}

const REMEMBERED_MS = 7 * 86_400_000

type Ended = (tx: Tx, process: number, lease: EndingLease) => Steps<void>

const ENDED: readonly Ended[] = Object.values<Ended>(builtIn)

/** Declares processes dead. Their items and sends can begin again, except sends whose body only they had in memory. */
export function* declareDead(tx: Tx, me: number | undefined, lease: EndingLease): Steps<void> {
  const { now } = lease
  const found = yield* all<{ id: number; until: number; ahead: number }>(sql`
    SELECT id, until, ahead FROM ${processes} WHERE dead = 0 AND until <= ${now} AND id <> ${me ?? 0}`)
  const ended = lease.others ? endedOf(found, lease, lease.others) : found
  if (ended.length > 0) tx.alone()
  for (const { id } of ended) lease.others?.lapsed.delete(id)
  const ahead = Math.max(0, ...ended.map((one) => one.ahead))
  // Its clock was ahead, and so are the waits that it set. Waits that other processes set are shorter than half of that,
  // and are kept.
  if (ahead > 0) yield* moveBack(ahead, { now, after: now + Math.floor(ahead / 2) })
  for (const { id, until } of ended) {
    // The process is dead from now on, unless it renews its lease at this moment.
    if (
      (yield* execute(sql`UPDATE ${processes} SET dead = 1, until = ${now} WHERE id = ${id} AND until = ${until}`)) ===
      0
    )
      continue
    for (const kind of ['work', 'sends'] as const) yield* free(tx, kind, sql`owner = ${id}`, now)
    for (const end of ENDED) yield* end(tx, id, lease)
  }
  if (ended.length > 0) yield* execute(sql`DELETE FROM ${processes} WHERE dead = 1 AND until < ${now - REMEMBERED_MS}`)
}

/**
 * Selects processes whose lease has ended. If it ended long ago, the process may live with a clock behind this one:
 * then it renews the lease. A lease until 0 was ended by an opening of the database.
 */
function endedOf<Row extends { id: number; until: number }>(
  found: readonly Row[],
  { now, leaseMs }: Lease,
  { lapsed }: Others,
): readonly Row[] {
  const ended = found.filter(({ id, until }) => {
    if (until === 0 || until >= now - leaseMs) return true
    const known = lapsed.get(id)
    if (known?.until !== until) lapsed.set(id, { until, since: now, isRenewed: known !== undefined })
    return known?.until === until && now - known.since >= leaseMs
  })
  for (const id of lapsed.keys()) if (!found.some((one) => one.id === id)) lapsed.delete(id)
  return ended
}
