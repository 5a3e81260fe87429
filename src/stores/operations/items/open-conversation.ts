import type { CustomerOfNumber, OpenConversation, Waits } from '../../port/index.ts'
import { one, Query, sql, type Steps } from '../steps.ts'

/** The columns of an open conversation as an item's row has them; null if none is open. */
export interface OpenRow {
  readonly conversation: string | null
  readonly conversation_name: string
  readonly conversation_version: number
  readonly waits: string | null
}

/** The columns of `OpenRow`, of an alias of the table. */
export function openColumns(alias: string): Query {
  return new Query(
    `${alias}.id AS conversation, ${alias}.name AS conversation_name, ${alias}.version AS conversation_version, ${alias}.waits`,
  )
}

export function openIn(row: OpenRow): OpenConversation | undefined {
  const { conversation: id, conversation_name: name, conversation_version: version, waits } = row
  return id === null ? undefined : { id, name, version, waits: waitsOf(waits) }
}

/** The conversation that is open with a customer. */
export function* openConversation({ number, customer }: CustomerOfNumber): Steps<OpenConversation | undefined> {
  const row = yield* one<OpenRow>(sql`
    SELECT ${openColumns('v')} FROM conversations v
    WHERE v.number = ${number} AND v.customer = ${customer} AND v.state = 'open'`)
  return row && openIn(row)
}

export function waitsOf(json: string | null | undefined): Waits | undefined {
  if (json === null || json === undefined) return undefined
  // JSON has no member that is undefined, so `dueAt` is put in.
  const { dueAt, ...waits } = JSON.parse(json) as Waits
  return { ...waits, dueAt }
}
