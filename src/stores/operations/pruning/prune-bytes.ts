import type { PruneMark, Pruning } from '../../port/index.ts'
import { wipeBodies, wipeFacts } from '../items/contents.ts'
import { ofDelivery } from '../items/item-ids.ts'
import { all, type Query, run, sql, type Steps, type Tx } from '../steps.ts'
import { untilLongTogether } from '../until-long.ts'

/** The work of one transaction of a stage. */
export interface StageEnd {
  readonly pruned?: number
  /** The place to go on from; undefined if the stage has ended. */
  readonly next: readonly (number | string)[] | undefined
}

/**
 * SQL condition for a delivery `d` that has been at rest for good since before a time. Parked and dead items,
 * quarantined deliveries and conflicts wait for a person, pending and unsettled ones for a process: age alone removes
 * none of them. A suspected replay goes no sooner than the delivery that it resembles.
 */
export function atRestSince(before: number): Query {
  return sql`NOT EXISTS (
    SELECT 1 FROM deliveries o
    WHERE (o.seq = d.seq OR (d.state = 'suspected_replay' AND o.seq = d.of_seq)) AND (
      o.state IN ('quarantined', 'conflict')
      OR (SELECT 1 FROM pending p WHERE p.seq = o.seq) IS NOT NULL
      OR EXISTS (
        SELECT 1 FROM items i WHERE ${ofDelivery('i.id', 'o.seq')}
          AND (i.settled_at IS NULL OR i.settled_at >= ${before} OR i.state NOT IN ('done', 'ignored', 'same_message'))
      )
    )
  )`
}

/** Large bodies end a transaction early, since each of their pages is overwritten. */
const BYTES_AT_ONCE = 4_194_304

interface Row {
  readonly place: number
  readonly seq: number
  /** Null if this is no delivery's body. */
  readonly received_at: number | null
  readonly size: number
  readonly free: number
}

/**
 * Removes the bytes of deliveries that were settled long enough ago, and the facts that were read from them. They lie in
 * the log in the order of their arrival, or of the day when the log was cut before them: so reading ends where all are
 * young. A delivery that a clock ahead of ours has dated does not end it.
 */
export function* pruneBytes(
  tx: Pick<Tx, 'isLong' | 'together'>,
  { bytesBefore, now, limit }: Pruning,
  [after = 0]: PruneMark['at'],
): Steps<StageEnd> {
  const rows = yield* all<Row>(sql`
    SELECT c.place, c.seq, d.received_at, coalesce(length(c.body), 0) AS size,
      CASE WHEN d.received_at < ${bytesBefore} AND ${atRestSince(bytesBefore)} THEN 1 ELSE 0 END AS free
    FROM (SELECT place, seq, body FROM contents WHERE place > ${after} ORDER BY place LIMIT ${limit}) c
      LEFT JOIN deliveries d ON d.seq = c.seq AND d.body_place = c.place
    ORDER BY c.place`)
  const free = rows.filter((row) => row.free === 1)
  const few = upToBytes(free, BYTES_AT_ONCE)
  const pruned = yield* untilLongTogether(tx, few, wipeDeliveries)
  if (pruned < free.length) return { pruned, next: [few[pruned - 1]?.place ?? after] }
  const bodies = rows.filter((row) => row.received_at !== null) as (Row & { received_at: number })[]
  const last = rows.length < limit || areYoung(bodies, bytesBefore, now) ? undefined : rows.at(-1)
  return { pruned, next: last && [last.place] }
}

/** The first rows, as long as they have less than so many bytes together; at least one. */
function upToBytes(rows: readonly Row[], most: number): readonly Row[] {
  let bytes = 0
  const end = rows.findIndex(({ size }) => (bytes += size) >= most)
  return end < 0 ? rows : rows.slice(0, end + 1)
}

/** All of these deliveries came since a time, and not all by a clock that was ahead of ours. */
export function areYoung(rows: readonly { readonly received_at: number }[], since: number, now: number): boolean {
  return rows.every(({ received_at: at }) => at >= since) && rows.some(({ received_at: at }) => at <= now)
}

/** Wipes the bytes of deliveries, which lie at these places, and the facts that were read from them. */
export function* wipeDeliveries(deliveries: readonly { readonly seq: number; readonly place: number }[]): Steps<void> {
  const seqs = JSON.stringify(deliveries.map(({ seq }) => seq))
  yield* wipeBodies(JSON.stringify(deliveries.map(({ place }) => place)))
  yield* run(sql`UPDATE deliveries SET body_place = NULL WHERE seq IN numbers(${seqs})`)
  yield* wipeFacts(seqs)
}
