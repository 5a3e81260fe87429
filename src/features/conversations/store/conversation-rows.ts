import { removeTimer, setTimer } from '../../../store/customers/customer.ts'
import { remaining } from '../../../store/database/silence.ts'
import { type Query, sql } from '../../../store/database/sql.ts'
import { all, one, execute, type Steps } from '../../../store/database/steps.ts'
import { customers, type CustomerOfNumber, silenceIn, withSilence } from '../../../store/database/customer-tables.ts'
import { conversation_steps, conversations } from './conversation-tables.ts'
import { nextTimeOf, type OpenConversation, type Waits } from './open-conversation.ts'

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
  /** The conversation that opens now, even if it had ended. The customer's other open conversation is replaced. */
  readonly opens?: NewConversation | undefined
  /** Steps to store. A step that exists is replaced. */
  readonly steps?: readonly JournalStep[]
  /**
   * Where the script waits next, or how it has ended. `at`: the time of this change, default `waits.since`. A
   * conversation that a person ended stays ended.
   */
  readonly next?: { readonly waits: Waits; readonly at?: number } | { readonly ended: ConversationEnd }
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
    if ('ended' in next) yield* endConversations(sql`id = ${id}`, next.ended, now)
    else yield* waitAt(id, yield* stayingOpen(id, next), item)
  }
}

function* startConversation(opens: NewConversation, item: number, now: number): Steps<void> {
  const { id, number, customer } = opens
  yield* endConversations(sql`number = ${number} AND customer = ${customer} AND id <> ${id}`, 'replaced', now)
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

export function* insertConversation(
  { id, number, customer, name, version, input }: NewConversation,
  { item, state, now }: { readonly item: number; readonly state: 'entering' | 'open'; readonly now: number },
  onConflict: Query,
): Steps<void> {
  yield* execute(sql`
    INSERT INTO ${conversations} (id, number, customer, name, version, input, state, item, opened_at)
    VALUES (${id}, ${number}, ${customer}, ${name}, ${version}, ${input}, ${state}, ${item}, ${now})
    ON CONFLICT (id) ${onConflict}`)
}

export function* insertStep(id: string, { step, kind, name, result }: JournalStep, onConflict: Query): Steps<void> {
  yield* execute(sql`
    INSERT INTO ${conversation_steps} (conversation, step, kind, name, result)
    SELECT ${id}, ${step}, ${kind}, ${name}, ${result} WHERE EXISTS (SELECT 1 FROM ${conversations} WHERE id = ${id})
    ON CONFLICT (conversation, step) ${onConflict}`)
}

/** Prolongs a question that is asked during a silence, by the time that is left of the silence. */
function* stayingOpen(
  id: string,
  { waits, at = waits.since }: { readonly waits: Waits; readonly at?: number },
): Steps<Waits> {
  if (waits.for !== 'answer') return waits
  const row = yield* one<object>(sql`
    SELECT ${withSilence('c', 'number')}
    FROM ${conversations} v JOIN ${customers} c ON c.number = v.number AND c.customer = v.customer WHERE v.id = ${id}`)
  return prolonged(waits, remaining(silenceIn(row), at))
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

export function* endConversations(which: Query, ended: ConversationEnd, now: number): Steps<number> {
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

function timerOf(id: string, { number, customer }: CustomerOfNumber) {
  return { number, customer, kind: 'conversation_due', name: id } as const
}

export function conversationsRemoved(which: Query): readonly Query[] {
  return [
    sql`DELETE FROM ${conversation_steps} WHERE conversation IN (SELECT id FROM ${conversations} WHERE ${which})`,
    sql`DELETE FROM ${conversations} WHERE ${which}`,
  ]
}
