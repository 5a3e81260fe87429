import { sql } from '../../../store/database/sql.ts'
import { one, type Steps } from '../../../store/database/steps.ts'
import { conversations } from './conversation-tables.ts'

export interface OpenConversation {
  /**
   * Derived from the cause and the slot that entered the conversation, so a rerun makes the same id. Sends of the
   * conversation have this id as their cause.
   */
  readonly id: string
  readonly name: string
  readonly version: number
  readonly waits: Waits | undefined
}

/** A step at which a script waits for an answer, or only for a time. */
export interface Waits {
  readonly step: number
  readonly for: 'answer' | 'time'
  readonly since: number
  /** The time at which an item of the kind `conversation_due` ends the wait; undefined if it has no end. */
  readonly dueAt: number | undefined
  /** An earlier time, at which an item of the kind `conversation_due` reminds the customer of the question. */
  readonly remindAt?: number | undefined
}

/** Reads the open conversation of a customer, by the id in the customer's row. */
export function* openConversation(id: string): Steps<OpenConversation | undefined> {
  const row = yield* one<{ name: string; version: number; waits: string | null }>(sql`
    SELECT name, version, waits FROM ${conversations} WHERE id = ${id} AND state = 'open'`)
  return row && { id, name: row.name, version: row.version, waits: waitsOf(row.waits) }
}

export function waitsOf(json: string | null | undefined): Waits | undefined {
  if (json === null || json === undefined) return undefined
  // JSON has no undefined members, but the type needs `dueAt`.
  const { dueAt, ...waits } = JSON.parse(json) as Waits
  return { ...waits, dueAt }
}

export function nextTimeOf({ remindAt, dueAt }: Waits): number | undefined {
  return remindAt ?? dueAt
}
