import type { ItemKind, StartedItem } from '../port/index.ts'
import { isLate, isSuspect } from '../rules/items.ts'
import type { Tx } from './group-commit.ts'

// better-sqlite3 is slow per column, so short ones come as one JSON list.
const nextBy = (order: string) => `
  SELECT id, attempts, state = 'running' AS was_running,
    (SELECT content FROM contents WHERE place = facts_place) AS facts,
    json_array(seq, idx, kind, number, customer, at, cause, created_at, json(completed_handlers), (
      SELECT json_array(last_at, handled_at) FROM windows w
      WHERE w.number = items.number AND w.customer = items.customer
    )) AS columns
  FROM items WHERE lane = ? AND settled_at IS NULL AND ready_at <= ? ORDER BY ${order} LIMIT 1`
const OLDEST = nextBy('at, id')
// This order reads all that waits in the lane, so it is used only if there is reason to.
const BEGUN_FIRST = nextBy('attempts > 0 DESC, at, id')
const DELIVERY = `
  SELECT (SELECT content FROM contents WHERE place = body_place) AS body,
    json_array(subscription, delivery_id, event, received_at) AS columns
  FROM deliveries WHERE seq = ?`
const BEGIN = "UPDATE items SET state = 'running', attempts = attempts + 1 WHERE id = ?"

interface Row {
  readonly id: number
  readonly attempts: number
  readonly was_running: number
  readonly facts: string
  readonly columns: string
}

type ItemColumns = [number, number, ItemKind, string, string | null, number, string, number, string[], string | null]
type DeliveryColumns = [string, string, string, number]

/**
 * Begins the lane's next item: of what is ready the oldest payload time, then the order of arrival. An item found
 * running belonged to a process that is gone: it begins again, with one attempt more on its count. `'suspect'` says
 * that the next item is a suspect, and was left because none is wanted now.
 *
 * @param o.again an item that has begun before goes first: a straggler with an older time must not change what its
 * rerun finds.
 */
export function beginItem(
  tx: Tx,
  lane: string,
  now: number,
  { suspects = true, again = false } = {},
): StartedItem | 'suspect' | undefined {
  const row = tx.sql(again ? BEGUN_FIRST : OLDEST).get(lane, now) as Row | undefined
  if (!row) return undefined
  const suspect = isSuspect({ wasRunning: row.was_running === 1, attempts: row.attempts })
  if (suspect && !suspects) return 'suspect'
  tx.sql(BEGIN).run(row.id)
  const [seq, idx, kind, number, customer, at, cause, createdAt, completedHandlers, window] = JSON.parse(
    row.columns,
  ) as ItemColumns
  const [lastInboundAt, handledAt] = JSON.parse(window ?? '[null, null]') as [number | null, number | null]
  const delivery = tx.sql(DELIVERY).get(seq) as { body: Buffer; columns: string }
  const [subscription, deliveryId, event, receivedAt] = JSON.parse(delivery.columns) as DeliveryColumns
  return {
    id: row.id,
    idx,
    kind,
    number,
    customer: customer ?? undefined,
    at,
    facts: row.facts,
    cause,
    attempt: row.attempts + 1,
    createdAt,
    suspect,
    completedHandlers,
    lastInboundAt: lastInboundAt ?? undefined,
    late: isLate(at, handledAt ?? undefined),
    delivery: { seq, subscription, deliveryId, event, receivedAt, body: delivery.body },
  }
}

const NEXT_AT = 'SELECT min(ready_at) AS at FROM items WHERE lane = ? AND settled_at IS NULL'

/** The time at which the lane's next item is ready; undefined if none waits. */
export function nextItemAt(tx: Tx, lane: string): number | undefined {
  return (tx.sql(NEXT_AT).get(lane) as { at: number | null }).at ?? undefined
}
