import { customerLane } from '../../../store/database/lane-names.ts'
import { sql, when } from '../../../store/database/sql.ts'
import { allAs, nextOfPage, oneAs, type Steps, type Tx } from '../../../store/database/steps.ts'
import { storeOwn } from '../../../store/work/items.ts'
import { type Fence, itemPassesFence } from '../../../store/work/lanes.ts'
import {
  type ConversationEnd,
  endConversations,
  insertConversation,
  insertStep,
  type JournalStep,
  type NewConversation,
} from './conversation-rows.ts'
import { conversation_steps, conversations } from './conversation-tables.ts'
import { type Waits, waitsOf } from './open-conversation.ts'

/** A request that a customer enters a conversation: an item of the kind `enter` in the lane of their messages. */
export interface NewEntry extends Omit<NewConversation, 'id'> {
  /** A second request with this key is not stored. */
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

/** Stores the result of a step, unless it has one. Returns false if the fence no longer holds. */
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

/** Ends a conversation. Returns false if it is not open. */
export function* endConversation(id: string, now: number, as: ConversationEnd = 'by_person'): Steps<boolean> {
  return (yield* endConversations(sql`id = ${id}`, as, now)) > 0
}

/** Stores a request to enter a conversation, unless its key is known. Returns false if the fence no longer holds. */
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
  /** The id of the last conversation on the page before. */
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
