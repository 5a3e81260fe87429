import { forgetRecipient } from '../recipients.ts'
import { customerLane } from '../customers.ts'
import { removeConversations } from '../conversations.ts'
import { hideOptOuts } from '../opt-outs.ts'
import { cancelAll } from '../outbox/settle.ts'
import { OPEN_SENDS, type Row } from '../outbox/rows.ts'
import { all, exists, one, portionOf, execute, sql, type Steps, type Tx } from '../steps.ts'
import type { CustomerOfNumber, Fence } from '../types/types.ts'
import { itemPassesFence } from '../work/processes.ts'
import { promoteItem } from '../work/settle.ts'
import { type Forgotten, nameOf, setMeta } from '../meta.ts'
import { type Kept, type KeptItem, keptOne, wipeContents, removeSends } from './rows.ts'

/**
 * What surely did not go out is cancelled, state is erased, and the rest noted for `eraseForgotten`. False if the item
 * was freed.
 */
export function* forget(tx: Tx, who: CustomerOfNumber, now: number, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* itemPassesFence(fence))) return false
  const { number, customer } = who
  const upto = yield* one<Forgotten>(sql`
    SELECT (SELECT coalesce(max(id), 0) FROM inbox) AS items, (SELECT coalesce(max(seq), 0) FROM sends) AS sends`)
  yield* setMeta(nameOf(who), JSON.stringify(upto))
  const sends = yield* all<Row>(sql`
    SELECT * FROM sends WHERE seq IN ${OPEN_SENDS} AND number = ${number} AND customer = ${customer}
      AND state IN ('scheduled', 'ready', 'held')`)
  yield* cancelAll(tx, sends, now)
  yield* endOwnItems(tx, who, now)
  yield* execute(sql`DELETE FROM timers WHERE number = ${number} AND customer = ${customer}`)
  yield* removeConversations(sql`number = ${number} AND customer = ${customer}`)
  yield* execute(sql`DELETE FROM customers WHERE number = ${number} AND customer = ${customer}`)
  yield* hideOptOuts(who)
  yield* forgetRecipient(who, now)
  tx.wake('erasure')
  return true
}

function* endOwnItems(tx: Tx, who: CustomerOfNumber, now: number): Steps<void> {
  const lane = customerLane(who)
  // The first of a lane goes last: the one that is promoted then is no row of these.
  const rows = yield* all<{ item: number; lane: string; place: number | null }>(sql`
    SELECT w.item, w.lane, w.place FROM work w JOIN inbox i ON i.id = w.item
    WHERE w.lane IN (${lane}, ${`${lane}/status`}) AND w.state <> 'running' AND w.state <> 'parked' AND w.state <> 'dead'
      AND i.kind IN ('send_failed', 'window_closing', 'conversation_due', 'enter')
    ORDER BY w.place DESC`)
  for (const { item, lane: of, place } of rows) {
    yield* execute(sql`DELETE FROM work WHERE item = ${item}`)
    yield* execute(sql`UPDATE inbox SET mark = 'ignored' WHERE id = ${item}`)
    if (place !== null && place < 2) yield* promoteItem(tx, of, now)
  }
}

interface Todo extends Forgotten, CustomerOfNumber {
  readonly name: string
  readonly itemsAt?: number
  readonly sendsAt?: number
  readonly left?: boolean
}

/**
 * Call it until it answers false. What has not ended is left to a later pruning. Ids stay as long as any, so that a
 * delivery that arrives again is known. An index of customers' rows would cost every delivery, so `limit` rows are read at
 * a time.
 */
export function* eraseForgotten(tx: Tx, limit: number): Steps<boolean> {
  if (tx.situation.newerSchema !== undefined) return false
  const todo = yield* nextTodo()
  if (!todo) return false
  const { itemsAt = 0, sendsAt = 0, items, sends, last = items } = todo
  if (itemsAt < last) return yield* continueAt(todo, yield* eraseItems(tx, todo, itemsAt, limit))
  if (sendsAt < sends) return yield* continueAt(todo, yield* eraseSends(tx, todo, sendsAt, limit))
  // The next pruning checks what had not ended.
  if (todo.left) yield* setMeta(todo.name, JSON.stringify({ items, sends, last, waits: true }))
  else yield* execute(sql`DELETE FROM meta WHERE name = ${todo.name}`)
  return true
}

function* nextTodo(): Steps<Todo | undefined> {
  const rows = yield* all<{ name: string; value: string }>(sql`
    SELECT name, value FROM meta WHERE name >= 'forgotten:' AND name < 'forgotten;' ORDER BY name`)
  for (const { name, value } of rows) {
    const { waits, ...rest } = JSON.parse(value) as Forgotten & { readonly waits?: boolean }
    if (waits) continue
    const [number = '', customer = ''] = name.slice('forgotten:'.length).split('/')
    return { ...rest, name, number, customer }
  }
  return undefined
}

export function* lookAgain(): Steps<void> {
  const rows = yield* all<{ name: string; value: string }>(sql`
    SELECT name, value FROM meta WHERE name >= 'forgotten:' AND name < 'forgotten;'`)
  for (const { name, value } of rows) {
    const { items, sends, last } = JSON.parse(value) as Forgotten
    yield* setMeta(name, JSON.stringify({ items, sends, last }))
  }
}

function* continueAt(todo: Todo, found: Partial<Todo>): Steps<boolean> {
  const { name, number: _, customer: __, ...rest } = todo
  yield* setMeta(name, JSON.stringify({ ...rest, ...found, left: todo.left === true || found.left === true }))
  return true
}

const BYTES_AT_ONCE = 4_194_304

function* eraseItems(tx: Tx, todo: Todo, after: number, limit: number): Steps<Partial<Todo>> {
  const { number, customer, items: upto, last = upto } = todo
  const rows = yield* all<Item>(sql`
    SELECT i.id, coalesce(i.delivery, i.id) AS seq, i.ordinal, i.kind, i.number, i.customer, i.cause, i.burst, w.state,
      CASE WHEN i.kind IS NULL THEN c.body END AS body
    FROM inbox i LEFT JOIN work w ON w.item = i.id LEFT JOIN contents c ON c.id = i.id
    WHERE i.id > ${after} AND i.id <= ${last} ORDER BY i.id LIMIT ${limit}`)
  let left = false
  let bytes = 0
  for (const row of rows) {
    if (row.seq > upto) continue
    bytes += row.body?.byteLength ?? 0
    if (row.kind === null) {
      // A delivery that was never read for its customer, and names them, or waits to be read.
      if (row.state === 'unread') left = true
      else if (row.body?.includes(customer)) yield* wipeContents([row.id])
    } else if (row.number === number && row.customer === customer) {
      if (yield* isOpen(row)) left = true
      else yield* eraseItem(row)
    }
    if (tx.isLong() || bytes >= BYTES_AT_ONCE) return { itemsAt: row.id, left }
  }
  return { itemsAt: rows.length < limit ? last : (rows.at(-1)?.id ?? last), left }
}

interface Item extends KeptItem {
  readonly seq: number
  readonly ordinal: number
  readonly kind: string | null
  readonly body: Buffer | null
}

/** A reply may be recorded later than the customer was forgotten. Unread deliveries may need the bytes. */
function* isOpen({ state, cause, number, customer, seq }: Item): Steps<boolean> {
  if (state !== null && state !== 'parked' && state !== 'dead') return true
  return yield* exists(sql`
    SELECT 1 FROM sends WHERE cause = ${cause} AND number = ${number} AND customer = ${customer} AND settled_at IS NULL
    UNION ALL
    SELECT 1 FROM work w JOIN inbox d ON d.id = w.item
    WHERE w.state = 'unread' AND (d.id = ${seq} OR d.delivery = ${seq} OR d.first = ${seq}) LIMIT 1`)
}

function* eraseItem({ id, seq, number, customer, cause }: Item): Steps<void> {
  yield* execute(sql`DELETE FROM work WHERE item = ${id}`)
  yield* execute(sql`
    UPDATE inbox SET customer = NULL, lane = '', burst = NULL, cause = 'forgotten', mark = coalesce(mark, 'ignored')
    WHERE id = ${id}`)
  yield* execute(sql`UPDATE contents SET facts = NULL WHERE id = ${id}`)
  yield* execute(sql`DELETE FROM once_results WHERE item = ${id}`)
  yield* removeSends(sql`cause = ${cause} AND number = ${number} AND customer = ${customer}`)
  // The bytes of a batch hold what other customers wrote too: they go when no item of others is left, or by their age.
  for (const each of [seq, ...(yield* resembling(seq))]) {
    const kept = yield* keptOne(each)
    if (kept && !isNeeded(kept)) yield* wipeContents(kept.items.map((item) => item.id))
  }
}

function* resembling(seq: number): Steps<readonly number[]> {
  return (yield* all<{ id: number }>(sql`SELECT id FROM inbox WHERE first = ${seq}`)).map(({ id }) => id)
}

function isNeeded({ items }: Kept): boolean {
  return items.some(({ customer, state }) => customer !== null || state !== null)
}

function* eraseSends(
  tx: Tx,
  { number, customer, sends: upto }: Todo,
  after: number,
  limit: number,
): Steps<Partial<Todo>> {
  const rows = yield* all<{ seq: number; theirs: number }>(sql`
    SELECT seq, CASE WHEN number = ${number} AND customer = ${customer} THEN 1 ELSE 0 END AS theirs
    FROM sends WHERE seq > ${after} AND seq <= ${upto} ORDER BY seq LIMIT ${limit}`)
  const next = yield* portionOf(tx, rows, limit, function* ({ seq, theirs }) {
    if (theirs === 1) yield* removeSends(sql`seq = ${seq}`)
  })
  const last = next?.seq ?? upto
  const which = sql`seq > ${after} AND seq <= ${last} AND number = ${number} AND customer = ${customer}`
  return { sendsAt: last, left: yield* exists(sql`SELECT 1 FROM sends WHERE ${which} LIMIT 1`) }
}
