import { wipeBodies, wipeFacts } from '../items/contents.ts'
import { itemsOfAll, ofDelivery } from '../items/item-ids.ts'
import { all, one, Query, run, sql, type Steps, type Tx, when } from '../steps.ts'
import { removeConversations } from '../turns/conversations.ts'
import { untilLong, untilLongTogether } from '../until-long.ts'
import type { Pruned, PruneMark, Pruning } from '../../port/index.ts'

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
function atRestSince(before: number): Query {
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
function areYoung(rows: readonly { readonly received_at: number }[], since: number, now: number): boolean {
  return rows.every(({ received_at: at }) => at >= since) && rows.some(({ received_at: at }) => at <= now)
}

/** Wipes the bytes of deliveries, which lie at these places, and the facts that were read from them. */
export function* wipeDeliveries(deliveries: readonly { readonly seq: number; readonly place: number }[]): Steps<void> {
  const seqs = JSON.stringify(deliveries.map(({ seq }) => seq))
  yield* wipeBodies(JSON.stringify(deliveries.map(({ place }) => place)))
  yield* run(sql`UPDATE deliveries SET body_place = NULL WHERE seq IN numbers(${seqs})`)
  yield* wipeFacts(seqs)
}

/** Sends under keys of the app's own belong to no delivery; a reply goes with the delivery that it answers. */
export function* pruneSendsOfApp(
  tx: Pick<Tx, 'isLong' | 'together'>,
  { idsBefore, limit }: Pruning,
  [after = 0]: PruneMark['at'],
): Steps<StageEnd> {
  // The index over causes has them in the order of their seq.
  const rows = yield* all<RemovedSend & { readonly seq: number; readonly free: number }>(sql`
    SELECT seq, id, message_id, upstream_id,
      CASE WHEN settled_at < ${idsBefore} AND state <> 'unknown' THEN 1 ELSE 0 END AS free
    FROM sends WHERE cause = 'app' AND seq > ${after} ORDER BY seq LIMIT ${limit}`)
  const free = rows.filter((row) => row.free === 1)
  const removed = yield* untilLongTogether(tx, free, removeSends)
  const last = removed < free.length ? free[removed - 1] : rows.length < limit ? undefined : rows.at(-1)
  return { next: last && [last.seq] }
}

export interface RemovedSend {
  readonly id: string
  readonly message_id: string | null
  readonly upstream_id: string | null
}

function* removeSends(sends: readonly (RemovedSend & { readonly seq: number })[]): Steps<void> {
  if (sends.length === 0) return
  yield* run(sql`DELETE FROM sends WHERE seq IN numbers(${JSON.stringify(sends.map(({ seq }) => seq))})`)
  yield* removeTraces(sends)
}

export function* removeTraces(sends: readonly RemovedSend[]): Steps<void> {
  if (sends.length === 0) return
  const messages = sends.flatMap(({ message_id, upstream_id }) => [message_id, upstream_id]).filter((id) => id !== null)
  yield* run(sql`DELETE FROM statuses WHERE message IN list(${JSON.stringify(messages)})`)
  yield* run(sql`DELETE FROM reached WHERE message IN list(${JSON.stringify(sends.map(({ id }) => id))})`)
}

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

interface AgedRow {
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
  const rows = yield* all<AgedRow>(sql`
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
function* removeDeliveries(deliveries: readonly number[], claimed: number): Steps<void> {
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

/**
 * Counts deliveries that `prune` would wipe and remove up to these times. Nothing is changed.
 *
 * A delivery that has its bytes still loses them first, in the same pass.
 */
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

/**
 * SQL condition for a conversation `v` that ended before a time, or that was never entered after all: its item has
 * ended, and no person will put it back. It stays while one of its sends is open, unknown or younger.
 */
function isOld(before: number): Query {
  return sql`(
      (v.state = 'ended' AND v.ended_at < ${before})
      OR (v.state = 'entering' AND v.opened_at < ${before} AND (
        SELECT 1 FROM items i WHERE i.id = v.item AND (i.settled_at IS NULL OR i.state IN ('dead', 'parked'))) IS NULL)
    ) AND (
      SELECT 1 FROM sends s
      WHERE s.cause = v.id AND s.number = v.number
        AND (s.settled_at IS NULL OR s.state = 'unknown' OR s.settled_at >= ${before}) LIMIT 1) IS NULL`
}

/** Removes conversations with their journals and their sends. It looks at all by their keys. */
export function* pruneConversations(
  tx: Pick<Tx, 'isLong'>,
  { idsBefore, conversationsBefore = idsBefore, limit }: Pruning,
  [after = '']: PruneMark['at'],
): Steps<StageEnd> {
  const rows = yield* all<{ readonly id: string; readonly number: string; readonly old: number }>(sql`
    SELECT v.id, v.number, CASE WHEN ${isOld(conversationsBefore)} THEN 1 ELSE 0 END AS old
    FROM conversations v WHERE v.id > ${after} ORDER BY v.id LIMIT ${limit}`)
  const old = rows.filter((row) => row.old === 1)
  const removed = yield* untilLong(tx, old, function* ({ id, number }) {
    const sends = yield* all<RemovedSend>(sql`
      DELETE FROM sends WHERE cause = ${id} AND number = ${number} RETURNING id, message_id, upstream_id`)
    yield* removeTraces(sends)
    yield* removeConversations(sql`id = ${id}`)
  })
  const last = removed < old.length ? old[removed - 1] : rows.length < limit ? undefined : rows.at(-1)
  return { next: last && [last.id] }
}

interface Kept {
  readonly table: Query
  readonly key: Query
  isOld(before: number): Query
}

const KEPT = {
  // A window that closed says no more than none.
  windows: {
    table: sql`lanes`,
    key: sql`key`,
    isOld: (before) => sql`moved_at < ${before} AND ready_at IS NULL`,
  },
  // A mute that has just ended is kept, against a `BOT` that comes late.
  mutes: { table: sql`mutes`, key: sql`number, customer`, isOld: (before) => sql`until < ${before}` },
  sessions: { table: sql`sessions`, key: sql`number, customer`, isOld: (before) => sql`expires_at < ${before}` },
} as const satisfies Record<string, Kept>

/** Removes what ended before a time. It looks at all rows by their keys: an index would cost every delivery. */
export function* pruneCustomers(
  tx: Pick<Tx, 'isLong'>,
  what: keyof typeof KEPT,
  { idsBefore, limit }: Pruning,
  at: PruneMark['at'],
): Steps<StageEnd> {
  const { table, key, isOld } = KEPT[what]
  const after = when(at.length > 0, () => sql`AND (${key}) > (${listed(at)})`)
  const rows = yield* all<Readonly<Record<string, string | number>>>(sql`
    SELECT CASE WHEN ${isOld(idsBefore)} THEN 1 ELSE 0 END AS old, ${key} FROM ${table} WHERE true ${after}
    ORDER BY ${key} LIMIT ${limit}`)
  const keys = rows.map(({ old, ...values }) => ({ isOld: old === 1, key: Object.values(values) }))
  const old = keys.filter((row) => row.isOld)
  const removed = yield* untilLong(tx, old, (row) =>
    run(sql`DELETE FROM ${table} WHERE (${key}) = (${listed(row.key)})`),
  )
  const last = removed < old.length ? old[removed - 1] : rows.length < limit ? undefined : keys.at(-1)
  return { next: last?.key }
}

function listed(values: readonly (string | number)[]): Query {
  return new Query(values.map(() => '?').join(', '), values)
}

/**
 * Removes deliveries with all that is kept of them, ids and claims of identity too, also those that wait for a
 * person. The answer names the removed ones; not those that wait for their turn or run, that have an open send, or
 * that a later delivery resembles.
 */
export function* discard(seq: number): Steps<readonly number[]> {
  const found = yield* one<{ place: number | null }>(sql`
    SELECT body_place AS place FROM deliveries d
    WHERE seq = ${seq}
      AND (SELECT 1 FROM deliveries r WHERE r.of_seq = d.seq LIMIT 1) IS NULL
      AND (SELECT 1 FROM pending p WHERE p.seq = d.seq) IS NULL
      AND NOT EXISTS (
        SELECT 1 FROM items i WHERE ${ofDelivery('i.id', 'd.seq')} AND (
          i.state IN ('stored', 'running', 'retry') OR (
            SELECT count(*) > count(s.settled_at) FROM sends s WHERE s.cause = i.cause AND s.number = i.number))
      )`)
  if (!found) return []
  if (found.place !== null) yield* wipeDeliveries([{ seq, place: found.place }])
  else yield* wipeFacts(JSON.stringify([seq]))
  // No claim of an identity stays: its item would be counted as waiting for a person.
  yield* removeDeliveries([seq], Number.MAX_SAFE_INTEGER)
  return [seq]
}
