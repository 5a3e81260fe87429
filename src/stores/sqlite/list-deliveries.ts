import type {
  DeliveryPage,
  DeliveryQuery,
  DeliveryRow,
  DeliveryState,
  ItemKind,
  ItemRow,
  ItemState,
} from '../port/index.ts'
import type { Sql } from './connection.ts'
import { ofDelivery } from './item-ids.ts'

const PENDING = 'EXISTS (SELECT 1 FROM pending p WHERE p.seq = d.seq)'
const COLUMNS = `
  SELECT seq, subscription, delivery_id, event, timestamp, received_at, clock_offset, state, ${PENDING} AS pending,
    of_seq, repeats, note, body_place IS NOT NULL AS has_bytes
  FROM deliveries d`
// Reads the items of one delivery after the other: an index for so rare a question would cost every delivery.
const LIST = `
  ${COLUMNS}
  WHERE seq < ? AND seq > ? AND received_at >= ? AND (? IS NULL OR event = ?) AND (
    EXISTS (
      SELECT 1 FROM items i
      WHERE ${ofDelivery('i.id', 'd.seq')} AND (? IS NULL OR i.state IN (SELECT value FROM json_each(?)))
        AND (? IS NULL OR i.number = ?) AND (? IS NULL OR i.customer = ?)
    )
    OR (? IS NULL AND ? IS NULL AND (? IS NULL
      OR CASE d.state WHEN 'stored' THEN iif(${PENDING}, 'stored', '') ELSE d.state END
        IN (SELECT value FROM json_each(?))))
  )
  ORDER BY seq DESC LIMIT ?`

/** See `Store.listDeliveries`. */
export function listDeliveries(sql: Sql, query: DeliveryQuery): DeliveryPage {
  const { limit, after = Number.MAX_SAFE_INTEGER, newerThan = 0, receivedFrom = Number.MIN_SAFE_INTEGER } = query
  const [event, number, customer] = [query.event ?? null, query.number ?? null, query.customer ?? null]
  const states = query.states ? JSON.stringify(query.states) : null
  const ofItem = [states, states, number, number, customer, customer]
  const ofDeliveryItself = [number, customer, states, states]
  const values = [after, newerThan, receivedFrom, event, event, ...ofItem, ...ofDeliveryItself, limit]
  const deliveries = rowsOf(sql, sql(LIST).all(...values))
  return { deliveries, next: deliveries.length < limit ? undefined : deliveries.at(-1)?.seq }
}

const BY_SEQ = `${COLUMNS} WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC`

/** See `Store.deliveries`. */
export function deliveries(sql: Sql, seqs: readonly number[]): DeliveryRow[] {
  return rowsOf(sql, sql(BY_SEQ).all(JSON.stringify(seqs)))
}

// The table of ids knows the first delivery alone, and none that resembles it.
const WITH_ID = `${COLUMNS} WHERE delivery_id = ? ORDER BY seq DESC`

/** See `Store.deliveriesWithId`. */
export function deliveriesWithId(sql: Sql, deliveryId: string): DeliveryRow[] {
  return rowsOf(sql, sql(WITH_ID).all(deliveryId))
}

interface Row {
  readonly seq: number
  readonly subscription: string
  readonly delivery_id: string | null
  readonly event: string | null
  readonly timestamp: number
  readonly received_at: number
  readonly clock_offset: number
  readonly state: DeliveryState
  readonly pending: number
  readonly of_seq: number | null
  readonly repeats: number
  readonly note: string | null
  readonly has_bytes: number
}

function rowsOf(sql: Sql, found: readonly unknown[]): DeliveryRow[] {
  return (found as Row[]).map((row) => ({
    seq: row.seq,
    subscription: row.subscription,
    deliveryId: row.delivery_id ?? undefined,
    event: row.event ?? undefined,
    timestamp: row.timestamp,
    receivedAt: row.received_at,
    clockOffset: row.clock_offset,
    state: row.state,
    pending: row.pending === 1,
    resembles: row.of_seq ?? undefined,
    repeats: row.repeats,
    note: row.note ?? undefined,
    hasBytes: row.has_bytes === 1,
    items: itemsOf(sql, row.seq),
  }))
}

const ITEMS = `
  SELECT id, idx, kind, number, customer, at, state, attempts, ready_at, reason, created_at, settled_at
  FROM items WHERE ${ofDelivery('items.id', '?')} ORDER BY id`

interface Item {
  readonly id: number
  readonly idx: number
  readonly kind: ItemKind
  readonly number: string
  readonly customer: string | null
  readonly at: number
  readonly state: ItemState
  readonly attempts: number
  readonly ready_at: number
  readonly reason: string | null
  readonly created_at: number
  readonly settled_at: number | null
}

function itemsOf(sql: Sql, seq: number): ItemRow[] {
  return (sql(ITEMS).all(seq, seq) as Item[]).map((item) => ({
    id: item.id,
    idx: item.idx,
    kind: item.kind,
    number: item.number,
    customer: item.customer ?? undefined,
    at: item.at,
    state: item.state,
    attempts: item.attempts,
    readyAt: item.ready_at,
    reason: item.reason ?? undefined,
    createdAt: item.created_at,
    settledAt: item.settled_at ?? undefined,
  }))
}
