import { Query } from '../operations/steps.ts'
import type { Fence } from '../port/index.ts'
import { wipe } from './contents.ts'
import type { Tx } from './group-commit.ts'
import { ofDelivery } from './item-ids.ts'
import { holdsLane } from './lanes.ts'
import { type RemovedSend, removeTraces } from '../operations/prune-sends.ts'

interface Who {
  readonly number: string
  readonly customer: string
}

const NOTE = `
  INSERT INTO forgotten (number, customer, upto) SELECT ?, ?, coalesce(max(seq), 0) FROM deliveries WHERE true
  ON CONFLICT DO UPDATE SET upto = excluded.upto`

/** Erases what is at rest of a customer now, and notes that the rest is to be erased later: see `Store.forget`. */
export function forget(tx: Tx, who: Who, now: number, fence?: Fence): boolean {
  if (fence && !holdsLane(tx, fence)) return false
  tx.sql(NOTE).run(who.number, who.customer)
  tx.sql(CANCEL).run(now, who.number, who.customer)
  for (const table of ['windows', 'mutes', 'sessions'])
    tx.sql(`DELETE FROM ${table} WHERE number = ? AND customer = ?`).run(who.number, who.customer)
  eraseAtRest(tx, who)
  return true
}

const CANCEL = `
  UPDATE sends SET state = 'cancelled', held_from = NULL, settled_at = ?
  WHERE number = ? AND customer = ? AND settled_at IS NULL AND state IN ('scheduled', 'ready', 'held')`
const UPTO = 'SELECT upto FROM forgotten WHERE number = ? AND customer = ?'
const AT_REST = 'SELECT id, seq FROM items WHERE number = ? AND customer = ? AND seq <= ? AND settled_at IS NOT NULL'
const ERASE_ITEM = `
  UPDATE items SET customer = NULL, lane = '', reason = 'forgotten',
    state = CASE WHEN state IN ('parked', 'dead') THEN 'ignored' ELSE state END
  WHERE id = ? RETURNING facts_place AS place`
const ERASE_ONCE = 'DELETE FROM once_results WHERE item = ?'
const ERASE_SENDS = `
  DELETE FROM sends WHERE number = ? AND customer = ? AND settled_at IS NOT NULL RETURNING id, message_id, upstream_id`

/** Reads all items: an index for so rare a question would cost every delivery. */
function eraseAtRest(tx: Tx, { number, customer }: Who): void {
  const found = tx.sql(UPTO).get(number, customer) as { upto: number }
  const items = tx.sql(AT_REST).all(number, customer, found.upto) as { id: number; seq: number }[]
  for (const { id } of items) {
    wipe(tx, (tx.sql(ERASE_ITEM).get(id) as { place: number }).place)
    tx.sql(ERASE_ONCE).run(id)
  }
  for (const seq of new Set(items.map((item) => item.seq))) eraseBytes(tx, seq)
  for (const one of tx.sql(AT_REST_WITHOUT_ITEMS).all(customer, found.upto) as Bytes[]) wipeBytes(tx, one)
  for (const send of tx.sql(ERASE_SENDS).all(number, customer) as RemovedSend[]) tx.drive(removeTraces(send))
}

// Deliveries that nobody listens to, or that are kept for a person, were never read for their customer: they may name
// the customer all the same.
const UNHANDLED_NAMING = `
  deliveries d JOIN contents c ON c.place = d.body_place
  WHERE d.state <> 'stored' AND instr(c.content, CAST(? AS BLOB)) > 0`
/** Those deliveries, as a part of a query. */
export function unhandledNaming(customer: string): Query {
  return new Query(UNHANDLED_NAMING, [customer])
}

const AT_REST_WITHOUT_ITEMS = `SELECT d.seq, d.body_place AS place FROM ${UNHANDLED_NAMING} AND d.seq <= ?`

// The bytes of a batch hold what other customers wrote too: they go when no item of others is left, or by their age.
const OTHERS = `SELECT 1 FROM items WHERE ${ofDelivery('items.id', '?')} AND (customer IS NOT NULL OR settled_at IS NULL)`
const BYTES = 'SELECT seq, body_place AS place FROM deliveries WHERE (seq = ? OR of_seq = ?) AND body_place IS NOT NULL'
const WIPED = 'UPDATE deliveries SET body_place = NULL WHERE seq = ?'

function eraseBytes(tx: Tx, seq: number): void {
  if (tx.sql(OTHERS).get(seq, seq) !== undefined) return
  for (const one of tx.sql(BYTES).all(seq, seq) as Bytes[]) wipeBytes(tx, one)
}

interface Bytes {
  readonly seq: number
  readonly place: number
}

function wipeBytes(tx: Tx, { seq, place }: Bytes): void {
  wipe(tx, place)
  tx.sql(WIPED).run(seq)
}

const FORGOTTEN = 'SELECT number, customer, upto FROM forgotten'
const OPEN = `
  SELECT 1 FROM pending WHERE seq <= ?
  UNION ALL SELECT 1 FROM items WHERE number = ? AND customer = ? AND seq <= ? AND settled_at IS NULL
  UNION ALL SELECT 1 FROM sends WHERE number = ? AND customer = ? LIMIT 1`
const DONE = 'DELETE FROM forgotten WHERE number = ? AND customer = ?'

/** Erases what was under way when its customer was forgotten, and has ended since. */
export function eraseForgotten(tx: Tx): void {
  for (const { number, customer, upto } of tx.sql(FORGOTTEN).all() as (Who & { upto: number })[]) {
    eraseAtRest(tx, { number, customer })
    if (tx.sql(OPEN).get(upto, number, customer, upto, number, customer) === undefined)
      tx.sql(DONE).run(number, customer)
  }
}
