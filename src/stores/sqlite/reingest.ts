import type { EarlierRun } from '../rules/ingest.ts'
import { wipeFacts } from './contents.ts'
import type { Tx } from './group-commit.ts'
import { ofDelivery } from './item-ids.ts'
import { leavePendingAgain } from './pending.ts'

// Conditional on purpose: two people may ask at the same time, and only one of them dispatches the delivery.
const DISPATCH = `
  UPDATE deliveries SET state = 'stored', note = NULL
  WHERE seq = ? AND state IN ('suspected_replay', 'conflict', 'quarantined', 'ignored')
    AND NOT EXISTS (SELECT 1 FROM pending p WHERE p.seq = deliveries.seq)
    AND delivery_id IS NOT NULL AND event IS NOT NULL AND body_place IS NOT NULL`
const PARKED = `SELECT 1 FROM items WHERE ${ofDelivery('items.id', '?')} AND state = 'parked'`
// A delivery that is dispatched is known by its signed bytes from now on, unless these are another delivery's.
const SIGNED = `
  INSERT INTO signed (subscription, timestamp, digest, seq)
  SELECT subscription, timestamp, digest, seq FROM deliveries WHERE seq = ? ON CONFLICT DO NOTHING`

/** Has deliveries ingested once more: see `Store.reingest`. */
export function reingest(tx: Tx, seqs: readonly number[]): number[] {
  return seqs.filter((seq) => {
    const dispatched = tx.sql(DISPATCH).run(seq).changes > 0
    if (!dispatched && tx.sql(PARKED).get(seq, seq) === undefined) return false
    if (dispatched) tx.sql(SIGNED).run(seq)
    return leavePendingAgain(tx, seq)
  })
}

/** Items of a delivery's earlier ingest, as far as they bind the next one. */
export interface EarlierItems {
  /** Items that are not parked: they stay as they are. */
  readonly kept: ReadonlySet<number>
  /** Parked items that ran before, by id: their handlers have used the cause. */
  readonly ran: ReadonlyMap<number, EarlierRun & { readonly completed_handlers: string }>
}

const ITEMS = `SELECT id, state, attempts, cause, completed_handlers FROM items WHERE ${ofDelivery('items.id', '?')}`
const REMOVE = `DELETE FROM items WHERE ${ofDelivery('items.id', '?')} AND state = 'parked'`

interface Row {
  readonly id: number
  readonly state: string
  readonly attempts: number
  readonly cause: string
  readonly completed_handlers: string
}

/** Undefined if an earlier ingest made no items. */
export function earlierItems(tx: Tx, seq: number): EarlierItems | undefined {
  const rows = tx.sql(ITEMS).all(seq, seq) as Row[]
  if (rows.length === 0) return undefined
  const parked = rows.filter(({ state }) => state === 'parked')
  return {
    kept: new Set(rows.filter(({ state }) => state !== 'parked').map(({ id }) => id)),
    ran: new Map(parked.filter(({ attempts }) => attempts > 0).map((row) => [row.id, row])),
  }
}

/** Removes the parked items of an earlier ingest; their `once` results stay for the items that replace them. */
export function removeParked(tx: Tx, seq: number): void {
  wipeFacts(tx, seq, 'parked')
  tx.sql(REMOVE).run(seq, seq)
}
