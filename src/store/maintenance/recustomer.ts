import { EFFECTS } from '../database/effects-of-features.ts'
import { findOpened, KNOWS_NOTHING, renameUnlessThere, wholeRow } from '../customers/customer.ts'
import { metaValue, setMeta, meta } from '../database/meta.ts'
import { forgottenUpto } from '../customers/forgotten.ts'
import { SILENCER } from '../database/customer-tables.ts'
import { type Query, inTexts, joined, raw, sql, when } from '../database/sql.ts'
import { allAs, execute, exists, one, portionOf, type Steps, type Tx } from '../database/steps.ts'
import { type InLanes, LANES, markFollowed, promote } from '../work/lanes.ts'
import type { AnyRow, Move, Recustoming, RowsToMove } from '../database/store-effects.ts'
import { declareDead } from '../work/processes.ts'
import { sends } from '../database/outbox-tables.ts'
import { insert } from '../database/statements.ts'
import { inbox, processes, work } from '../database/inbox-tables.ts'
import type { RowOf } from '../database/table.ts'
import { customers, opt_outs, timers, type CustomerOfNumber } from '../database/customer-tables.ts'

/**
 * Moves customers to one spelling of their number. By a rule of the app, `customer` has the same digits in all tables,
 * whatever spelling arrives.
 */

const DIGEST = 'same_customer'

/**
 * Returns what a start compares with the app's rule. `digest`: of the rule by which customers are stored; undefined if
 * there is none. `newest`: customers of the last messages and sends.
 */
export function* sameCustomer(limit: number) {
  const newest = (rows: Query) => sql`SELECT * FROM (SELECT number, customer FROM ${rows} LIMIT ${limit}) AS newest`
  return {
    digest: yield* metaValue(DIGEST),
    newest: yield* allAs<{ customer: string; wroteAs: string | undefined }>(sql`
      SELECT DISTINCT n.customer, c.wrote_as AS "wroteAs"
      FROM (${newest(sql`inbox ORDER BY id DESC`)} UNION ${newest(sql`sends ORDER BY seq DESC`)}) AS n
        LEFT JOIN ${customers} c ON c.number = n.number AND c.customer = n.customer
      WHERE n.customer IS NOT NULL`),
  }
}

export function* hasCustomers(): Steps<boolean> {
  const tables = [sends, opt_outs, ...EFFECTS.flatMap(({ ofCustomer }) => ofCustomer.table ?? [])]
  const some = [sql`${customers} WHERE NOT ${KNOWS_NOTHING}`, sql`${inbox} WHERE customer IS NOT NULL`]
  for (const rows of [...some, ...tables]) if (yield* exists(sql`SELECT 1 AS found FROM ${rows} LIMIT 1`)) return true
  return false
}

export function* keepSameCustomer(digest: string | undefined): Steps<void> {
  if (digest === undefined) yield* execute(sql`DELETE FROM ${meta} WHERE name = ${DIGEST}`)
  else yield* setMeta(DIGEST, digest)
}

/**
 * Returns the customer for a spelling of a number. It is the spelling itself, unless a customer wrote from this
 * spelling or a send went to it.
 */
export function* customerNamed(spelling: string): Steps<string> {
  const known = yield* one<{ customer: string }>(sql`
    SELECT customer FROM ${customers} WHERE wrote_as = ${spelling}
    ${joined(
      EFFECTS.flatMap(({ ofCustomer }) => ofCustomer.named?.(spelling) ?? []).map((rows) => sql`UNION ALL ${rows}`),
      ' ',
    )}
    UNION ALL SELECT customer FROM ${sends} WHERE body LIKE ${`{"to":"${spelling}",%`} LIMIT 1`)
  return known?.customer ?? spelling
}

// ── moving what is stored to another rule ───────────────────────────────────────────────────────────

/**
 * Begins the move. Returns the reason for which nothing may be moved; undefined if the app is stopped and no
 * feature refuses.
 */
export function* beginRecustomer(tx: Tx, o: Recustoming): Steps<string | undefined> {
  if (yield* exists(sql`SELECT 1 FROM ${processes} WHERE dead = 0 AND until > ${o.now}`))
    return 'the app is running, or ended less than ten seconds ago: stop it first'
  for (const { ofCustomer } of EFFECTS) {
    const why = ofCustomer.mayNotMove && (yield* ofCustomer.mayNotMove())
    if (why !== undefined) return why
  }
  yield* declareDead(tx, undefined, o)
  return undefined
}

export interface MoveCursor {
  readonly table: string
  /** The key of the last row that was read; undefined at the table's beginning. */
  readonly after: readonly (string | number)[] | undefined
}

/** Moves one portion. A portion may be repeated: rows that were moved are not moved again. */
export function* recustomer(tx: Tx, o: Recustoming, { table, after }: MoveCursor, limit: number) {
  const { keys, rows: from = raw(table), move } = MOVED.get(table) as RowsToMove
  const list = raw(keys.join(', '))
  const behind = when(after !== undefined, () => sql`WHERE (${list}) > (${joined(after ?? [], ', ')})`)
  const rows = yield* allAs<AnyRow>(sql`SELECT * FROM ${from} AS rows ${behind} ORDER BY ${list} LIMIT ${limit}`)
  let moved = 0
  const last = yield* portionOf(tx, rows, limit, function* (row) {
    const who = { number: String(row['number']), customer: String(row['customer'] ?? '') }
    if (!/^[1-9]\d*$/.test(who.customer)) return
    const to = o.of((yield* wholeRow(who))?.wrote_as ?? who.customer)
    if (to === who.customer) return
    yield* move(row, who, to, o)
    moved++
  })
  const following = TABLES[TABLES.indexOf(table) + 1]
  const next: MoveCursor | undefined = last
    ? { table, after: keys.map((key) => last[key] as string | number) }
    : following === undefined
      ? undefined
      : { table: following, after: undefined }
  return { moved, next }
}

const moveItem: Move = function* ({ id, lane }, who, to) {
  if (Number(id) <= (yield* forgottenUpto(who)).items) return
  const joined = laneFor(lane, who, to)
  yield* execute(sql`UPDATE ${inbox} SET customer = ${to}, lane = ${joined} WHERE id = ${id}`)
  const entered = yield* one<{ place: number | null }>(sql`
    UPDATE ${work} SET lane = ${joined}, place = CASE WHEN place IS NULL THEN NULL ELSE 2 END
    WHERE item = ${id} AND lane IS NOT NULL RETURNING place`)
  if (typeof entered?.place === 'number') yield* joinLane('work', joined)
}

const moveSend: Move = function* ({ seq, lane, place, slot, cause, part, settled_at: settledAt }, who, to, { keyOf }) {
  if (Number(seq) <= (yield* forgottenUpto(who)).sends) return
  const joined = laneFor(lane, who, to)
  yield* execute(sql`
    UPDATE ${sends} SET customer = ${to}, lane = ${joined}, place = CASE WHEN place IS NULL THEN NULL ELSE 2 END
    WHERE seq = ${seq}`)
  if (place !== undefined) yield* joinLane('sends', joined)
  // The new slot lets a rerun, or a feature that continues, find a send that has ended. A send under way keeps
  // its key.
  const named = slotFor(String(slot), who.customer, to)
  const key = keyOf(who.number, String(cause), named)
  if (
    settledAt === undefined ||
    part !== undefined ||
    named === slot ||
    (yield* exists(sql`SELECT 1 FROM ${sends} WHERE key = ${key}`))
  )
    return
  yield* execute(sql`
    UPDATE ${sends} SET slot = ${named}, key = ${key},
      fallback_key = CASE WHEN fallback_key IS NULL THEN NULL ELSE ${`${key}:fallback`} END WHERE seq = ${seq}`)
}

const moveTimer: Move = function* ({ kind, name, due_at: dueAt }, { number, customer }, to) {
  const of = (whose: string) => sql`number = ${number} AND customer = ${whose} AND kind = ${kind} AND name = ${name}`
  // If both spellings have this timer, the later timer stays.
  yield* execute(sql`DELETE FROM ${timers} WHERE ${of(to)} AND due_at <= ${dueAt}`)
  yield* renameUnlessThere(sql`timers`, of(customer), of(to), to)
}

const moveOptOut: Move = function* ({ state, at }, { number, customer }, to) {
  const of = (whose: string) => sql`customer = ${whose} AND number = ${number}`
  const isWeaker = state === 'out' ? sql`(state = 'in' OR at <= ${at})` : sql`(state = 'in' AND at <= ${at})`
  yield* execute(sql`DELETE FROM ${opt_outs} WHERE ${of(to)} AND ${isWeaker}`)
  yield* renameUnlessThere(sql`opt_outs`, of(customer), of(to), to)
}

const moveCustomer: Move = function* (row, { number, customer }, to) {
  const [other] = yield* allAs<AnyRow>(sql`SELECT * FROM ${customers} WHERE number = ${number} AND customer = ${to}`)
  const conversation = (yield* stillOpen(row)) ?? (yield* stillOpen(other))
  const merged: AnyRow = { ...mergedCustomer(row, other), customer: to, conversation }
  yield* execute(sql`
    DELETE FROM ${customers} WHERE number = ${number} AND customer ${inTexts([customer, to])}`)
  yield* execute(insert(customers, { ...row, ...merged } as unknown as RowOf<typeof customers>))
}

function* stillOpen(row: AnyRow | undefined): Steps<string | undefined> {
  const id = row?.['conversation']
  return typeof id === 'string' && (yield* findOpened(id)) ? id : undefined
}

/**
 * The order matters: rows of features follow the sends, because moving them looks up keys of sends. Customers come
 * last, because the new customer is derived from the spelling in their rows.
 */
const MOVED: ReadonlyMap<string, RowsToMove> = new Map<string, RowsToMove>([
  ['inbox', { keys: ['id'], move: moveItem }],
  ['sends', { keys: ['seq'], move: moveSend }],
  ['timers', { keys: ['number', 'customer', 'kind', 'name'], move: moveTimer }],
  ['opt_outs', { keys: ['customer', 'number'], move: moveOptOut }],
  ...EFFECTS.flatMap(({ ofCustomer }) => Object.entries(ofCustomer.moves)),
  ['customers', { keys: ['number', 'customer'], move: moveCustomer }],
])

const TABLES = [...MOVED.keys()]

function laneFor(lane: string | number | undefined, { number, customer }: CustomerOfNumber, to: string): string {
  const [own, theirs] = [`${number}/${customer}`, String(lane)]
  return theirs === own || theirs.startsWith(`${own}/`) ? `${number}/${to}${theirs.slice(own.length)}` : theirs
}

const SLOT_WORDS = EFFECTS.flatMap(({ ofCustomer }) => ofCustomer.slotWord ?? []).join('|')

function slotFor(slot: string, customer: string, to: string): string {
  return slot.replace(
    new RegExp(`(^(?:${SLOT_WORDS}) .* |/to:)${customer}(?=[ #]|$)`),
    (_, before: string) => before + to,
  )
}

function* joinLane(kind: InLanes, lane: string): Steps<void> {
  const hasFirst = yield* exists(sql`SELECT 1 FROM ${LANES[kind].table} WHERE lane = ${lane} AND place < 2`)
  yield* hasFirst ? markFollowed(kind, lane) : promote(kind, lane)
}

const LATEST = ['last_at', 'moved_at', 'handled_at', 'sent_at']

/** Merges two rows of a customer: the later silence, the newer session, and the spelling of the last message. */
function mergedCustomer(row: AnyRow, other: AnyRow | undefined): AnyRow {
  const mine = spelt(row)
  if (!other) return mine
  const both = [mine, spelt(other)]
  const by = (name: string, tie: string) =>
    both.toSorted((a, b) => at(a, name) - at(b, name) || at(a, tie) - at(b, tie)).at(-1) as AnyRow
  const withSession = both.filter(({ session }) => session !== undefined)
  const session = withSession.length === 1 ? (withSession[0] as AnyRow) : by('session_expires_at', 'last_at')
  return {
    ...by('last_at', 'moved_at'),
    ...Object.fromEntries(
      LATEST.map((name) => [name, at(by(name, name), name) < 0 ? undefined : by(name, name)[name]]),
    ),
    ...SILENCER?.merged(by),
    ...Object.fromEntries(Object.entries(session).filter(([name]) => name.startsWith('session'))),
  }
}

function at(row: AnyRow, name: string): number {
  const value = row[name]
  return typeof value === 'number' ? value : -1
}

function spelt(row: AnyRow): AnyRow {
  return { ...row, wrote_as: row['wrote_as'] ?? (row['last_at'] === undefined ? undefined : row['customer']) }
}
