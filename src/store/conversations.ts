import {
  customerLane,
  removeTimer,
  setTimer,
  type TakenOverRow,
  takenOverIn,
  waitsOf,
  type CustomerOfNumber,
  type OpenConversation,
} from './customers.ts'
import { storeOwn } from './work/items.ts'
import { nextTimeOf, remaining, type Waits } from './rules/items.ts'
import { type Query, sql, when } from './statements/sql.ts'
import { all, allAs, one, nextOfPage, oneAs, execute, type Steps, type Tx } from './steps.ts'
import { itemPassesFence } from './work/processes.ts'
import { conversation_steps, conversations, customers } from './tables/customer-tables.ts'
import type { Fence } from './work/lanes.ts'

/** How a conversation ended. `replaced`: another conversation was entered while it was open. */
export type ConversationEnd =
  | 'finished'
  | 'cancelled'
  | 'timeout'
  | 'too_many_tries'
  | 'changed'
  | 'failed'
  | 'replaced'
  | 'by_person'

export interface NewConversation extends CustomerOfNumber, Omit<OpenConversation, 'waits'> {
  /** The input as JSON; undefined if the script takes none. */
  readonly input: string | undefined
}

export interface JournalStep {
  readonly step: number
  /** The method that the script called, such as `ask`, `say` or `once`. */
  readonly kind: string
  readonly name: string
  /** The result as JSON; undefined while the step has none, such as an open question. */
  readonly result: string | undefined
}

export interface ConversationChange {
  readonly id: string
  /** The conversation that opens now, even if it had ended. Another open one of the customer ends as `replaced`. */
  readonly opens?: NewConversation | undefined
  /** Steps to store. A step that exists is replaced. */
  readonly steps?: readonly JournalStep[]
  /**
   * Where the script waits next, or how it has ended. `at`: the time of that, default `waits.since`. A conversation
   * that a person ended stays ended.
   */
  readonly next?: { readonly waits: Waits; readonly at?: number } | { readonly ended: ConversationEnd }
}

/** A wish that a customer enters a conversation: an item of the kind `enter` in the lane of their messages. */
export interface NewEntry extends Omit<NewConversation, 'id'> {
  /** The key of the wish. A known wish is stored once. */
  readonly key: string
  readonly at: number
}

export interface ConversationRow extends NewConversation {
  readonly openedAt: number
  readonly steps: number
  readonly waits: Waits | undefined
}

interface Row extends NewConversation {
  /** The state of a conversation. `entering`: a step of it is stored, but the item that enters it is not settled. */
  readonly state: 'entering' | 'open' | 'ended'
  readonly waits: string | undefined
  readonly ended: ConversationEnd | undefined
  readonly openedAt: number
}

export function* journalOf(id: string) {
  const row = yield* oneAs<Row>(sql`
    SELECT id, number, customer, name, version, input, state, waits, ended, opened_at AS "openedAt"
    FROM ${conversations} WHERE id = ${id}`)
  const steps = yield* allAs<JournalStep>(sql`
    SELECT step, kind, name, result FROM ${conversation_steps} WHERE conversation = ${id} ORDER BY step`)
  return { conversation: row && { ...row, waits: waitsOf(row.waits) }, steps }
}

/** Stores the result of a step, unless it has one. Returns false if the item was freed. */
export function* keepStep(
  fence: Fence,
  item: number,
  conversation: NewConversation,
  step: JournalStep,
  now: number,
): Steps<boolean> {
  if (!(yield* itemPassesFence(fence))) return false
  yield* insertConversation(conversation, { item, state: 'entering', now }, sql`DO NOTHING`)
  yield* insertStep(conversation.id, step, sql`DO NOTHING`)
  return true
}

export function* writeConversations(item: number, changes: readonly ConversationChange[], now: number): Steps<void> {
  for (const { id, opens, steps = [], next } of changes) {
    if (opens) yield* startConversation(opens, item, now)
    for (const step of steps)
      yield* insertStep(
        id,
        step,
        sql`DO UPDATE SET kind = excluded.kind, name = excluded.name, result = excluded.result`,
      )
    if (next === undefined) continue
    if ('ended' in next) yield* end(sql`id = ${id}`, next.ended, now)
    else yield* waitAt(id, yield* stayingOpen(id, next), item)
  }
}

function* startConversation(opens: NewConversation, item: number, now: number): Steps<void> {
  const { id, number, customer } = opens
  yield* end(sql`number = ${number} AND customer = ${customer} AND id <> ${id}`, 'replaced', now)
  yield* insertConversation(
    opens,
    { item, state: 'open', now },
    sql`DO UPDATE SET version = excluded.version, input = excluded.input, state = excluded.state, waits = NULL,
      ended = NULL, item = excluded.item, opened_at = excluded.opened_at, ended_at = NULL`,
  )
  yield* execute(sql`
    INSERT INTO ${customers} (number, customer, conversation) VALUES (${number}, ${customer}, ${id})
    ON CONFLICT (number, customer) DO UPDATE SET conversation = excluded.conversation`)
}

function* insertConversation(
  { id, number, customer, name, version, input }: NewConversation,
  { item, state, now }: { readonly item: number; readonly state: 'entering' | 'open'; readonly now: number },
  onConflict: Query,
): Steps<void> {
  yield* execute(sql`
    INSERT INTO ${conversations} (id, number, customer, name, version, input, state, item, opened_at)
    VALUES (${id}, ${number}, ${customer}, ${name}, ${version}, ${input}, ${state}, ${item}, ${now})
    ON CONFLICT (id) ${onConflict}`)
}

function* insertStep(id: string, { step, kind, name, result }: JournalStep, onConflict: Query): Steps<void> {
  yield* execute(sql`
    INSERT INTO ${conversation_steps} (conversation, step, kind, name, result)
    SELECT ${id}, ${step}, ${kind}, ${name}, ${result} WHERE EXISTS (SELECT 1 FROM ${conversations} WHERE id = ${id})
    ON CONFLICT (conversation, step) ${onConflict}`)
}

/** Prolongs a question that opens while its customer is taken over, by the rest of the take-over. */
function* stayingOpen(
  id: string,
  { waits, at = waits.since }: { readonly waits: Waits; readonly at?: number },
): Steps<Waits> {
  if (waits.for !== 'answer') return waits
  const row = yield* one<TakenOverRow>(sql`
    SELECT taken_by, taken_since, taken_until, taken_cause
    FROM ${conversations} v JOIN ${customers} c ON c.number = v.number AND c.customer = v.customer WHERE v.id = ${id}`)
  return prolonged(waits, remaining(takenOverIn(row), at))
}

export function prolonged({ dueAt, remindAt, ...waits }: Waits, ms: number): Waits {
  return {
    ...waits,
    dueAt: dueAt === undefined ? undefined : dueAt + ms,
    ...(remindAt !== undefined && { remindAt: remindAt + ms }),
  }
}

export function* waitAt(id: string, waits: Waits, item: number): Steps<void> {
  const who = yield* one<CustomerOfNumber>(sql`
    UPDATE ${conversations} SET waits = ${JSON.stringify(waits)} WHERE id = ${id} AND state = 'open'
    RETURNING number, customer`)
  if (!who) return
  const { step } = waits
  const dueAt = nextTimeOf(waits)
  if (dueAt === undefined) yield* removeTimer(timerOf(id, who))
  else yield* setTimer(timerOf(id, who), { item, says: { conversation: id, step, dueAt } })
}

function* end(which: Query, ended: ConversationEnd, now: number): Steps<number> {
  const rows = yield* all<CustomerOfNumber & { readonly id: string }>(sql`
    UPDATE ${conversations} SET state = 'ended', ended = ${ended}, waits = NULL, ended_at = ${now}
    WHERE ${which} AND state = 'open' RETURNING id, number, customer`)
  for (const { id, ...who } of rows) {
    yield* removeTimer(timerOf(id, who))
    yield* execute(sql`
      UPDATE ${customers} SET conversation = NULL
      WHERE number = ${who.number} AND customer = ${who.customer} AND conversation = ${id}`)
  }
  return rows.length
}

/** Ends a conversation. Returns false if it is not open. */
export function* endConversation(id: string, now: number, as: ConversationEnd = 'by_person'): Steps<boolean> {
  return (yield* end(sql`id = ${id}`, as, now)) > 0
}

function timerOf(id: string, { number, customer }: CustomerOfNumber) {
  return { number, customer, kind: 'conversation_due', name: id } as const
}

export function conversationsRemoved(which: Query): readonly Query[] {
  return [
    sql`DELETE FROM ${conversation_steps} WHERE conversation IN (SELECT id FROM ${conversations} WHERE ${which})`,
    sql`DELETE FROM ${conversations} WHERE ${which}`,
  ]
}

/**
 * Stores the wish that a customer enters a conversation. A known wish is stored once. Returns false if the item was
 * freed.
 */
export function* recordEntry(tx: Tx, entry: NewEntry, now: number, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* itemPassesFence(fence))) return false
  const { number, customer, key, at, ...says } = entry
  yield* storeOwn(
    tx,
    {
      kind: 'enter',
      id: key,
      once: true,
      says: JSON.stringify(says),
      number,
      customer,
      lane: customerLane(entry),
      at,
      cause: () => `enter:${key}`,
    },
    now,
  )
  return true
}

interface ListedRow extends Omit<ConversationRow, 'waits'> {
  readonly waits: string | undefined
}

export function* listConversations({
  number,
  customer,
  limit,
  after,
}: {
  readonly number?: string | undefined
  readonly customer?: string
  readonly limit: number
  /** The id of a conversation behind which the list continues. The order of ids does not follow the customers. */
  readonly after?: string | undefined
}) {
  const rows = yield* allAs<ListedRow>(sql`
    SELECT id, number, customer, name, version, input, waits, opened_at AS "openedAt",
      (SELECT count(*) FROM ${conversation_steps} s WHERE s.conversation = v.id) AS steps
    FROM ${conversations} v WHERE state = 'open'
      ${when(number !== undefined, () => sql`AND number = ${number}`)}
      ${when(customer !== undefined, () => sql`AND customer = ${customer}`)}
      ${when(after !== undefined, () => sql`AND id > ${after}`)}
    ORDER BY id LIMIT ${limit}`)
  const listed = rows.map((row): ConversationRow => ({ ...row, waits: waitsOf(row.waits) }))
  return { conversations: listed, next: nextOfPage(rows, limit)?.id }
}
