import type { Pruned, PruneMark, Pruning } from '../../port/index.ts'
import { itemsOfAll, ofDelivery } from '../items/item-ids.ts'
import { all, one, type Query, run, sql, type Steps, type Tx } from '../steps.ts'
import { untilLongTogether } from '../until-long.ts'
import { sendsOfCauses } from './caused-sends.ts'
import { areYoung, atRestSince, type StageEnd } from './prune-bytes.ts'
import { removeSends } from './prune-sends.ts'

/**
 * SQL condition for a delivery `d` of which nothing is needed any more. It stays while another one points to it, and
 * while one of its sends is open, unknown or younger: pruning would never find a send whose delivery is gone, and the
 * send's key must not be free while a rerun may ask for it.
 */
function notNeededSince(before: number): Query {
  return sql`${atRestSince(before)}
    AND (SELECT 1 FROM deliveries r WHERE r.of_seq = d.seq LIMIT 1) IS NULL
    AND NOT EXISTS (
      SELECT 1 FROM items i WHERE ${ofDelivery('i.id', 'd.seq')} AND (
        SELECT 1 FROM sends s WHERE s.cause = i.cause AND s.number = i.number
          AND (s.settled_at IS NULL OR s.state = 'unknown' OR s.settled_at >= ${before}) LIMIT 1) = 1
    )`
}

interface Row {
  readonly seq: number
  readonly received_at: number
  readonly free: number
}

/**
 * Removes all that is left of deliveries that were settled long enough ago: see `Store.prune`. It reads them in the
 * order of their arrival until all are young; a delivery that a clock ahead of ours has dated does not end that.
 */
export function* pruneRows(
  tx: Pick<Tx, 'isLong' | 'together'>,
  { idsBefore, now, limit }: Pruning,
  [after = 0]: PruneMark['at'],
): Steps<StageEnd> {
  const rows = yield* all<Row>(sql`
    SELECT seq, received_at,
      CASE WHEN body_place IS NULL AND received_at < ${idsBefore} AND ${notNeededSince(idsBefore)} THEN 1 ELSE 0 END AS free
    FROM deliveries d WHERE seq > ${after} ORDER BY seq LIMIT ${limit}`)
  const free = rows.filter((row) => row.free === 1)
  const pruned = yield* untilLongTogether(tx, free, (some) =>
    removeDeliveries(
      some.map(({ seq }) => seq),
      claimedBefore(idsBefore, now),
    ),
  )
  const isAll = rows.length < limit || areYoung(rows, idsBefore, now)
  const last = pruned < free.length ? free[pruned - 1] : isAll ? undefined : rows.at(-1)
  return { pruned, next: last && [last.seq] }
}

/** An identity stays claimed for this long, however soon its delivery's row goes. */
const CLAIMED_FOR_MS = 30 * 86_400_000

function claimedBefore(idsBefore: number, now: number): number {
  return Math.min(idsBefore, now - CLAIMED_FOR_MS)
}

/** Removes the rows of deliveries, their items but for claims of identity since `claimed`, and the sends that they alone caused. */
export function* removeDeliveries(deliveries: readonly number[], claimed: number): Steps<void> {
  const seqs = JSON.stringify(deliveries)
  const { ids } = yield* itemsOfAll(seqs)
  yield* removeSends(yield* sendsOfCauses(yield* causesOfAlone(ids, seqs)))
  yield* run(sql`DELETE FROM once_results WHERE item IN numbers(${ids})`)
  yield* run(sql`DELETE FROM reached WHERE item IN numbers(${ids})`)
  yield* run(sql`DELETE FROM items WHERE id IN numbers(${ids}) AND (holds = 0 OR created_at < ${claimed})`)
  // Only the claim of their identity is left of the others.
  yield* run(sql`
    UPDATE items SET customer = NULL, lane = '', cause = '', reason = NULL, failure = NULL, burst = NULL
    WHERE id IN numbers(${ids})`)
  yield* run(sql`DELETE FROM deliveries WHERE seq IN numbers(${seqs})`)
}

/**
 * The causes that nothing shares with these items; `ids` and `seqs`, those of their deliveries, are JSON lists. Deliveries of
 * the same signed bytes, and those of a burst, share their cause and so their sends: these go with the last of them.
 */
function* causesOfAlone(
  ids: string,
  seqs: string,
): Steps<readonly { readonly cause: string; readonly number: string }[]> {
  return yield* all(sql`
    SELECT i.cause, i.number FROM items i JOIN deliveries d ON d.seq = i.seq
    WHERE i.id IN numbers(${ids}) AND (
      SELECT 1 FROM deliveries m
      WHERE (m.seq = coalesce(d.of_seq, d.seq) OR m.of_seq = coalesce(d.of_seq, d.seq)) AND m.seq NOT IN numbers(${seqs})
        AND (SELECT 1 FROM items o WHERE ${ofDelivery('o.id', 'm.seq')} AND o.cause = i.cause AND o.number = i.number
          LIMIT 1) = 1
      LIMIT 1
    ) IS NULL AND (
      SELECT 1 FROM items o WHERE o.burst = i.burst AND o.seq NOT IN numbers(${seqs}) AND o.cause = i.cause LIMIT 1
    ) IS NULL`)
}

/** Frees identities that were claimed long enough ago, and whose delivery has gone; true if there may be more. */
export function* pruneClaims(tx: Pick<Tx, 'isLong' | 'together'>, { idsBefore, now, limit }: Pruning): Steps<boolean> {
  const claims = yield* all<{ id: number }>(sql`
    SELECT id FROM items WHERE cause = '' AND created_at < ${claimedBefore(idsBefore, now)}
    ORDER BY created_at LIMIT ${limit}`)
  const freed = yield* untilLongTogether(tx, claims, (some) =>
    run(sql`DELETE FROM items WHERE id IN numbers(${JSON.stringify(some.map(({ id }) => id))})`),
  )
  return freed === limit || freed < claims.length
}

/** See `Store.prunable`. A delivery that has its bytes still loses them first, in the same pass. */
export function* prunable({
  bytesBefore,
  idsBefore,
}: Pick<Pruning, 'bytesBefore' | 'idsBefore'>): Steps<Pick<Pruned, 'wiped' | 'removed'>> {
  const count = function* (where: Query): Steps<number> {
    return ((yield* one<{ n: number }>(sql`SELECT count(*) AS n FROM deliveries d WHERE ${where}`)) as { n: number }).n
  }
  return {
    wiped: yield* count(
      sql`d.body_place IS NOT NULL AND d.received_at < ${bytesBefore} AND ${atRestSince(bytesBefore)}`,
    ),
    removed: yield* count(sql`d.received_at < ${idsBefore} AND ${notNeededSince(idsBefore)}`),
  }
}
