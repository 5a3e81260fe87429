import { type Query, sql } from '../database/sql.ts'
import { all, one, type Steps } from '../database/steps.ts'
import { meta, setMeta } from '../database/meta.ts'
import type { CustomerOfNumber } from '../database/customer-tables.ts'

export interface Forgotten {
  readonly items: number
  readonly sends: number
  /** The newest item of a delivery that arrived before the customer was forgotten and was read later. */
  readonly last?: number
  /** Spellings of the customer's number, by which unread deliveries are found. */
  readonly forms?: readonly string[] | undefined
}

const NEVER: Forgotten = { items: -1, sends: -1 }

export function nameOf({ number, customer }: CustomerOfNumber): string {
  return `forgotten:${number}/${customer}`
}

export function* forgottenUpto(who: CustomerOfNumber): Steps<Forgotten> {
  const row = yield* one<{ value: string }>(sql`SELECT value FROM ${meta} WHERE name = ${nameOf(who)}`)
  return row ? (JSON.parse(row.value) as Forgotten) : NEVER
}

/** Lists customers who were forgotten and have rows left. `waits`: pruning erases these rows once they have ended. */
export function* forgottenCustomers() {
  const rows = yield* all<{ name: string; value: string }>(sql`
    SELECT name, value FROM ${meta} WHERE name >= 'forgotten:' AND name < 'forgotten;' ORDER BY name`)
  return rows.map(({ name, value }) => {
    const [number = '', customer = ''] = name.slice('forgotten:'.length).split('/')
    return { ...(JSON.parse(value) as Forgotten & { readonly waits?: boolean }), name, number, customer }
  })
}

/** Excludes a forgotten customer's rows that are not erased yet. */
export function* unlessForgotten(which: 'items' | 'sends', customer: string, number: Query, row: Query): Steps<Query> {
  return (yield* forgottenCustomers())
    .filter((forgotten) => forgotten.customer === customer)
    .reduce((before, one) => sql`${before} AND NOT (${number} = ${one.number} AND ${row} <= ${one[which]})`, sql``)
}

/** Returns true if a delivery arrived before its customer was forgotten. Then `eraseForgotten` also erases its item. */
export function* noteReadLater(who: CustomerOfNumber, delivery: number, item: number): Steps<boolean> {
  const forgotten = yield* forgottenUpto(who)
  if (forgotten.items < delivery) return false
  if ((forgotten.last ?? forgotten.items) < item)
    yield* setMeta(nameOf(who), JSON.stringify({ ...forgotten, last: item }))
  return true
}
