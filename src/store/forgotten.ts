import { one, run, sql, type Steps } from './steps.ts'
import type { CustomerOfNumber } from './types/types.ts'

/** All of a customer's items and sends up to these ids are to be erased. */
export interface Forgotten {
  readonly items: number
  readonly sends: number
}

const NEVER: Forgotten = { items: -1, sends: -1 }

export function nameOf({ number, customer }: CustomerOfNumber): string {
  return `forgotten:${number}/${customer}`
}

/** -1 if the customer was not forgotten, or all of theirs is erased. */
export function* forgottenUpto(who: CustomerOfNumber): Steps<Forgotten> {
  const row = yield* one<{ value: string }>(sql`SELECT value FROM meta WHERE name = ${nameOf(who)}`)
  return row ? (JSON.parse(row.value) as Forgotten) : NEVER
}

export function* setMeta(name: string, value: string): Steps<void> {
  yield* run(sql`
    INSERT INTO meta (name, value) VALUES (${name}, ${value})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
}

export function* metaValue(name: string): Steps<string | undefined> {
  return (yield* one<{ value: string }>(sql`SELECT value FROM meta WHERE name = ${name}`))?.value
}
