import { wipeFacts } from './contents.ts'
import type { Tx } from './group-commit.ts'
import { ofDelivery } from './item-ids.ts'
import { leaveToSortAgain } from './pending.ts'

const DISPATCH = `
  UPDATE deliveries SET state = 'stored', note = NULL
  WHERE seq = ? AND state IN ('suspected_replay', 'conflict', 'quarantined', 'ignored')
    AND NOT EXISTS (SELECT 1 FROM unsorted u WHERE u.seq = deliveries.seq)
    AND delivery_id IS NOT NULL AND event IS NOT NULL AND body_place IS NOT NULL`
const PARKED = `SELECT 1 FROM items WHERE ${ofDelivery('items.id', '?')} AND state = 'parked'`
// What is dispatched is known by its signed bytes from now on, unless these are another delivery's.
const SIGNED = `
  INSERT INTO signed (subscription, timestamp, digest, seq)
  SELECT subscription, timestamp, digest, seq FROM deliveries WHERE seq = ? ON CONFLICT DO NOTHING`

/** Has deliveries sorted once more: see `Store.sortAgain`. */
export function sortAgain(tx: Tx, seqs: readonly number[]): number[] {
  return seqs.filter((seq) => {
    const dispatched = tx.sql(DISPATCH).run(seq).changes > 0
    if (!dispatched && tx.sql(PARKED).get(seq, seq) === undefined) return false
    if (dispatched) tx.sql(SIGNED).run(seq)
    return leaveToSortAgain(tx, seq)
  })
}

/** What a delivery's earlier sort left behind, as far as it binds the one that takes its place. */
export interface Earlier {
  /** Items that are not parked: they stay as they are. */
  readonly kept: ReadonlySet<number>
  /** By item, what a handler that ran before it parked has fixed: replies hang on the cause. */
  readonly ran: ReadonlyMap<number, { readonly cause: string; readonly finished: string }>
}

const ITEMS = `SELECT id, state, attempts, cause, finished FROM items WHERE ${ofDelivery('items.id', '?')}`
const REPLACE = `DELETE FROM items WHERE ${ofDelivery('items.id', '?')} AND state = 'parked'`

interface Row {
  readonly id: number
  readonly state: string
  readonly attempts: number
  readonly cause: string
  readonly finished: string
}

/** The items of an earlier sort; undefined where there are none. */
export function earlierItems(tx: Tx, seq: number): Earlier | undefined {
  const rows = tx.sql(ITEMS).all(seq, seq) as Row[]
  if (rows.length === 0) return undefined
  const parked = rows.filter(({ state }) => state === 'parked')
  return {
    kept: new Set(rows.filter(({ state }) => state !== 'parked').map(({ id }) => id)),
    ran: new Map(parked.filter(({ attempts }) => attempts > 0).map((row) => [row.id, row])),
  }
}

/** Removes the parked items of an earlier sort; their `once` results stay for the items that follow them. */
export function removeParked(tx: Tx, seq: number): void {
  wipeFacts(tx, seq, 'parked')
  tx.sql(REPLACE).run(seq, seq)
}
