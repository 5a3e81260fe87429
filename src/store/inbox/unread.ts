import { sql } from '../database/sql.ts'
import { all, allAs, one, execute, type Steps, type Tx } from '../database/steps.ts'
import { openOutside } from '../work/bundles.ts'
import { interleaved } from '../work/share.ts'
import { contents, inbox, UNREAD, work } from '../database/inbox-tables.ts'
import { putSome, update } from '../database/statements.ts'
import type { ItemDelivery } from '../work/items.ts'

export interface StoredDelivery extends ItemDelivery {
  /** Unix seconds, as signed. */
  readonly timestamp: number
  /** SHA-256 of the bytes. With subscription and timestamp it is the signed material. */
  readonly digest: Uint8Array
  /** The first delivery under the same id. Ingest compares the messages of both, and dispatches none. */
  readonly conflictsWith?: number | undefined
}

/** The id of the earlier delivery whose bytes a row `d` shares. Such a row has no digest. */
export const SHARES_BYTES_OF = sql`CASE WHEN d.digest IS NULL THEN d.first END`

/**
 * Lists unread deliveries: the oldest of each subscription in turns. So if one subscription has thousands, another
 * subscription waits for only one of them.
 */
export function* unreadDeliveries(
  { databaseState }: Pick<Tx, 'databaseState'>,
  limit: number,
  except: ReadonlySet<string>,
): Steps<readonly StoredDelivery[]> {
  if (databaseState.newerSchema !== undefined) return []
  const subscriptions = [...databaseState.unread].filter((one) => !except.has(one)).slice(0, limit)
  const lists: (readonly StoredDelivery[])[] = []
  for (const subscription of subscriptions)
    lists.push(yield* unreadOf(subscription, Math.ceil(limit / subscriptions.length)))
  return interleaved(lists)
}

function unreadOf(subscription: string, limit: number): Steps<readonly StoredDelivery[]> {
  return allAs<StoredDelivery>(sql`
    SELECT d.id AS seq, d.subscription, coalesce(d.delivery_id, d.other_id) AS "deliveryId", d.event, d.timestamp,
      coalesce(d.digest, r.digest) AS digest, coalesce(c.body, o.body) AS body, d.received_at AS "receivedAt",
      d.clock_offset AS "clockOffset", d.trace, CASE d.mark WHEN 'conflict' THEN d.first END AS "conflictsWith"
    FROM (
        SELECT DISTINCT coalesce(i.delivery, i.id) AS id
        FROM ${work} w JOIN ${inbox} i ON i.id = w.item WHERE w.state = 'unread' AND w.number = ${subscription}
        ORDER BY 1 LIMIT ${limit}) u
      JOIN ${inbox} d ON d.id = u.id LEFT JOIN ${contents} c ON c.id = d.id
      LEFT JOIN ${inbox} r ON r.id = d.first LEFT JOIN ${contents} o ON o.id = ${SHARES_BYTES_OF}
    ORDER BY d.id`)
}

export function* unreadSubscriptions(): Steps<ReadonlySet<string>> {
  const rows = yield* all(UNREAD)
  return new Set(rows.map(({ value }) => value))
}

export function* leaveUnread(tx: Tx, seq: number, subscription: string, now: number): Steps<void> {
  yield* openOutside({ state: 'unread', item: seq, number: subscription, now })
  markUnread(tx, subscription)
}

function markUnread({ databaseState, wake }: Pick<Tx, 'databaseState' | 'wake'>, subscription: string): void {
  if (!databaseState.unread.has(subscription)) databaseState.unread = new Set([...databaseState.unread, subscription])
  wake('items')
}

/**
 * Makes a delivery unread, so that it is ingested again. A delivery that was not dispatched counts as new. Parked items
 * are replaced. An item that ran keeps its cause, so its recorded replies are found. Deliveries of the same bundle
 * become unread too. Returns the deliveries that are unread now.
 */
export function* reingest(tx: Tx, seq: number): Steps<readonly number[]> {
  const marked = yield* markedToUnread(seq)
  if (marked) {
    yield* leaveUnread(tx, seq, marked.subscription, marked.received_at)
    return [seq]
  }
  const again: number[] = []
  for (const each of [seq, ...(yield* parkedWith(seq))]) if (yield* parkedToUnread(tx, each)) again.push(each)
  return again
}

function* markedToUnread(
  seq: number,
): Steps<{ readonly subscription: string; readonly received_at: number } | undefined> {
  const found = yield* one<{ subscription: string; received_at: number; body: Uint8Array | null; own: number }>(sql`
    SELECT d.subscription, d.received_at, coalesce(c.body, o.body) AS body, CASE WHEN c.body IS NULL THEN 0 ELSE 1 END AS own
    FROM ${inbox} d LEFT JOIN ${contents} c ON c.id = d.id LEFT JOIN ${contents} o ON o.id = ${SHARES_BYTES_OF}
    WHERE d.id = ${seq} AND d.kind IS NULL AND d.mark IN ('suspected_replay', 'conflict', 'quarantined', 'ignored')
      AND coalesce(d.delivery_id, d.other_id) IS NOT NULL AND d.event IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${work} w WHERE w.item = d.id)`)
  if (!found?.body) return undefined
  // The bytes are in another delivery's row. Pruning may have removed this delivery's own row of `contents`.
  if (found.own === 0) yield* execute(putSome(contents, ['id'], { id: seq, body: found.body }))
  yield* execute(update(inbox, { mark: null, note: null }, { id: seq }))
  return found
}

function* parkedToUnread(tx: Tx, seq: number): Steps<boolean> {
  const parked = yield* one<{ number: string }>(sql`
    UPDATE ${work} SET state = 'unread', number = (SELECT subscription FROM ${inbox} WHERE id = ${seq})
    WHERE state = 'parked' AND item IN (SELECT id FROM ${inbox} WHERE id = ${seq} OR delivery = ${seq})
      AND EXISTS (SELECT 1 FROM ${contents} c WHERE c.id = ${seq} AND c.body IS NOT NULL)
    RETURNING number`)
  if (parked) markUnread(tx, parked.number)
  return parked !== undefined
}

/** Finds other deliveries whose parked items belong to the same bundle as an item of this delivery. */
function* parkedWith(seq: number): Steps<number[]> {
  const rows = yield* all<{ seq: number }>(sql`
    SELECT DISTINCT coalesce(o.delivery, o.id) AS seq
    FROM ${inbox} i JOIN ${inbox} o ON o.bundle = i.bundle JOIN ${work} w ON w.item = o.id
    WHERE (i.id = ${seq} OR i.delivery = ${seq}) AND o.id <> i.id AND w.state = 'parked' ORDER BY 1`)
  return rows.map((row) => row.seq).filter((other) => other !== seq)
}
