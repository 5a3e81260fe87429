import { EFFECTS } from '../database/effects-of-features.ts'
import { itemLanes } from '../database/lane-names.ts'
import { hideOptOuts } from '../outbox/opt-outs.ts'
import { cancelAll } from '../outbox/settle.ts'
import { OPEN_SENDS, type Row } from '../outbox/rows.ts'
import { inNumbers, inTexts, sql } from '../database/sql.ts'
import {
  all,
  allTogether,
  sideBySideUntilLong,
  exists,
  growingUntilLong,
  one,
  execute,
  type Steps,
  type Tx,
} from '../database/steps.ts'
import { runState, type Fence } from '../work/lanes.ts'
import { metaSet, setMeta, meta } from '../database/meta.ts'
import { type Forgotten, forgottenCustomers, nameOf } from '../customers/forgotten.ts'
import { type ItemRow, oneDelivery, wipeContents, removeSends } from './removal.ts'
import { contents, inbox, once_results, work } from '../database/inbox-tables.ts'
import { customers, timers, type CustomerOfNumber } from '../database/customer-tables.ts'
import { sends } from '../database/outbox-tables.ts'

/**
 * Forgets a customer. Waiting items do not begin any more. Sends that surely did not go out are cancelled. State is
 * erased, and the rest is noted for `eraseForgotten`. Running items end without effects. Returns false if the item was
 * freed.
 */
export function* forget(
  tx: Tx,
  { forms, ...who }: CustomerOfNumber & Pick<Forgotten, 'forms'>,
  now: number,
  fence?: Fence,
): Steps<boolean> {
  if (fence && !(yield* runState(fence))) return false
  const { number, customer } = who
  const [[upto], open] = (yield* allTogether<unknown>(
    sql`SELECT (SELECT coalesce(max(id), 0) FROM ${inbox}) AS items, (SELECT coalesce(max(seq), 0) FROM ${sends}) AS sends`,
    sql`
      SELECT * FROM ${sends} WHERE seq IN ${OPEN_SENDS} AND number = ${number} AND customer = ${customer}
        AND state IN ('scheduled', 'ready', 'held')`,
  )) as readonly [readonly Forgotten[], readonly Row[]]
  yield* cancelAll(tx, open, now)
  yield* endItems(who, fence)
  const theirs = sql`number = ${number} AND customer = ${customer}`
  yield* allTogether(
    metaSet(nameOf(who), JSON.stringify({ ...upto, forms })),
    sql`DELETE FROM ${timers} WHERE ${theirs}`,
    ...EFFECTS.flatMap(({ removed }) => removed?.(theirs) ?? []),
    sql`DELETE FROM ${customers} WHERE ${theirs}`,
  )
  yield* hideOptOuts(who)
  for (const { forgetCustomer } of EFFECTS) if (forgetCustomer) yield* forgetCustomer(who, now)
  tx.wake('erasure')
  return true
}

/** Ends the customer's items. An unread delivery stays; when it is ingested, its item does not begin. */
function* endItems(who: CustomerOfNumber, fence: Fence | undefined): Steps<void> {
  const theirs = sql`lane ${inTexts(itemLanes(who))}`
  const rows = yield* all<{ item: number }>(sql`
    DELETE FROM ${work} WHERE ${theirs} AND coalesce(place, 0) <> 1 AND state <> 'unread' RETURNING item`)
  yield* allTogether(
    sql`
      UPDATE ${inbox} SET mark = coalesce(mark, 'ignored')
      WHERE id ${inNumbers(rows.map(({ item }) => item))}`,
    sql`
      UPDATE ${work} SET state = CASE item WHEN ${Number(fence?.of ?? 0)} THEN 'forgetting' ELSE 'forgotten' END
      WHERE place < 2 AND place = 1 AND ${theirs}`,
  )
}

interface Todo extends Forgotten, CustomerOfNumber {
  readonly name: string
  readonly itemsAt?: number
  readonly sendsAt?: number
  readonly left?: boolean
}

/**
 * Erases rows of forgotten customers. Call it until it returns false. Rows that have not ended are left to a later
 * pruning. Ids of deliveries are kept for their usual time, so that a repeated delivery is recognized. Each call reads
 * `limit` rows, because the inbox has no index over customers, which every delivery would have to update.
 */
export function* eraseForgotten(tx: Tx, limit: number): Steps<boolean> {
  if (tx.databaseState.newerSchema !== undefined) return false
  const todo: Todo | undefined = (yield* forgottenCustomers()).find(({ waits }) => !waits)
  if (!todo) return false
  const { itemsAt = 0, sendsAt = 0, items, sends, last = items } = todo
  if (itemsAt < last) return yield* continueAt(todo, yield* eraseItems(tx, todo, itemsAt, limit))
  if (sendsAt < sends) return yield* continueAt(todo, yield* eraseSends(tx, todo, sendsAt, limit))
  // The next pruning checks rows that had not ended.
  if (todo.left) yield* setMeta(todo.name, JSON.stringify({ items, sends, last, forms: todo.forms, waits: true }))
  else yield* execute(sql`DELETE FROM ${meta} WHERE name = ${todo.name}`)
  return true
}

export function* lookAgain(): Steps<void> {
  for (const { name, items, sends, last, forms } of yield* forgottenCustomers())
    yield* setMeta(name, JSON.stringify({ items, sends, last, forms }))
}

function* continueAt(todo: Todo, found: Partial<Todo>): Steps<boolean> {
  const { name, number: _, customer: __, ...rest } = todo
  yield* setMeta(name, JSON.stringify({ ...rest, ...found, left: todo.left === true || found.left === true }))
  return true
}

const BYTES_AT_ONCE = 4_194_304

function* eraseItems(tx: Tx, todo: Todo, after: number, limit: number): Steps<Partial<Todo>> {
  const { number, customer, items: upto, last = upto, forms = [customer] } = todo
  const rows = yield* all<Item>(sql`
    SELECT i.id, coalesce(i.delivery, i.id) AS seq, i.idx, i.kind, i.number, i.customer, i.cause, i.bundle, w.state,
      CASE WHEN i.kind IS NULL THEN c.body END AS body
    FROM ${inbox} i LEFT JOIN ${work} w ON w.item = i.id LEFT JOIN ${contents} c ON c.id = i.id
    WHERE i.id > ${after} AND i.id <= ${last} ORDER BY i.id LIMIT ${limit}`)
  let left = false
  let bytes = 0
  function* erase(row: Item): Steps<void> {
    if (row.seq > upto) return
    bytes += row.body?.byteLength ?? 0
    // A parked item without a customer may be of this customer. It stays, and does not begin once its customer is read.
    if (row.customer === null && row.state === 'parked') left = true
    if (row.kind === null) {
      // The delivery has no items, so its bytes are searched for the customer's number.
      if (row.state === 'unread') left = true
      else if (forms.some((form) => row.body?.includes(form))) yield* wipeContents([row.id])
    } else if (row.number === number && row.customer === customer) {
      if (yield* isOpen(row)) left = true
      else yield* eraseItem(row)
    }
  }
  const branches = rows.map((row) => ({ keys: [`${row.seq}`, `cause:${row.cause}`], begin: () => erase(row) }))
  const isLong = () => tx.isLong() || bytes >= BYTES_AT_ONCE
  const done = yield* sideBySideUntilLong({ isLong }, branches)
  const isWhole = done === rows.length && rows.length < limit
  return { itemsAt: isWhole ? last : (rows[done - 1]?.id ?? last), left }
}

interface Item extends ItemRow {
  readonly seq: number
  readonly idx: number
  readonly kind: string | null
  readonly body: Buffer | null
}

/**
 * Returns true if an item cannot be erased yet: a reply to it may still be recorded, or an unread delivery may need the
 * bytes.
 */
function* isOpen({ state, cause, number, customer, seq }: Item): Steps<boolean> {
  if (state !== null && state !== 'parked' && state !== 'dead') return true
  return yield* exists(sql`
    SELECT 1 FROM ${sends} WHERE cause = ${cause} AND number = ${number} AND customer = ${customer} AND settled_at IS NULL
    UNION ALL
    SELECT 1 FROM ${work} w JOIN ${inbox} d ON d.id = w.item
    WHERE w.state = 'unread' AND (d.id = ${seq} OR d.delivery = ${seq} OR d.first = ${seq}) LIMIT 1`)
}

/** Erases an item whose customer was forgotten while it ran, unless it has an open reply. Then pruning does it. */
export function* eraseEnded({ alone }: Pick<Tx, 'alone'>, item: number): Steps<void> {
  const row = yield* one<Item>(sql`
    SELECT id, coalesce(delivery, id) AS seq, idx, kind, number, customer, cause, bundle, NULL AS state FROM ${inbox}
    WHERE id = ${item}`)
  if (!row || (yield* isOpen(row))) return
  // The bytes of a batch belong to other customers too, so the operation runs alone.
  if (((yield* oneDelivery(row.seq))?.items.length ?? 0) > 1) alone()
  yield* eraseItem(row)
}

function* eraseItem({ id, seq, number, customer, cause }: Item): Steps<void> {
  yield* allTogether(
    sql`DELETE FROM ${work} WHERE item = ${id}`,
    sql`
    UPDATE ${inbox} SET customer = NULL, lane = '', bundle = NULL, cause = 'forgotten', mark = coalesce(mark, 'ignored')
    WHERE id = ${id}`,
    sql`UPDATE ${contents} SET facts = NULL WHERE id = ${id}`,
    sql`DELETE FROM ${once_results} WHERE item = ${id}`,
  )
  yield* removeSends(sql`cause = ${cause} AND number = ${number} AND customer = ${customer}`)
  // The bytes of a batch contain messages of other customers too. They are wiped when no item of another customer is
  // left, or when they are old.
  const resembling = yield* all<{ id: number }>(sql`SELECT id FROM ${inbox} WHERE first = ${seq}`)
  for (const each of [seq, ...resembling.map((other) => other.id)]) {
    const kept = yield* oneDelivery(each)
    const isNeeded = kept?.items.some((item) => item.customer !== null || item.state !== null)
    if (kept && !isNeeded) yield* wipeContents(kept.items.map((item) => item.id))
  }
}

function* eraseSends(
  tx: Tx,
  { number, customer, sends: upto }: Todo,
  after: number,
  limit: number,
): Steps<Partial<Todo>> {
  const rows = yield* all<{ seq: number; theirs: number }>(sql`
    SELECT seq, CASE WHEN number = ${number} AND customer = ${customer} THEN 1 ELSE 0 END AS theirs
    FROM ${sends} WHERE seq > ${after} AND seq <= ${upto} ORDER BY seq LIMIT ${limit}`)
  const done = yield* growingUntilLong(tx, rows, { from: 20 }, function* (some) {
    const seqs = some.filter(({ theirs }) => theirs === 1).map(({ seq }) => seq)
    if (seqs.length > 0) yield* removeSends(sql`seq ${inNumbers(seqs)}`)
  })
  const isWhole = done === rows.length && rows.length < limit
  const last = isWhole ? upto : (rows[done - 1]?.seq ?? upto)
  const which = sql`seq > ${after} AND seq <= ${last} AND number = ${number} AND customer = ${customer}`
  return { sendsAt: last, left: yield* exists(sql`SELECT 1 FROM ${sends} WHERE ${which} LIMIT 1`) }
}
