import { randomBytes } from 'node:crypto'
import { asWhole, inTexts, NOTHING, type Query, sql, when } from './statements/sql.ts'
import { all, allAs, nextOfPage, one, execute, type Steps } from './statements/steps.ts'
import { acts, meta } from './tables/meta-tables.ts'
import { insert } from './statements/statements.ts'
import type { CustomerOfNumber } from './customers.ts'

/** By `name/language`. */
export type TemplateCategories = Readonly<Record<string, string>>

/** `path` is `()` for a function. */
export interface MappedPath {
  readonly event: string
  readonly fact: string
  readonly path: string
}

// ── secrets ─────────────────────────────────────────────────────────────────────────────────────────

const SECRET_BYTES = 32

export function* secret(name: string): Steps<Uint8Array> {
  const known = yield* knownSecret(name)
  if (known) return known
  const made = randomBytes(SECRET_BYTES)
  yield* setMeta(`secret:${name}`, made.toString('base64'))
  return made
}

export function* knownSecret(name: string): Steps<Uint8Array | undefined> {
  const known = yield* metaValue(`secret:${name}`)
  return known === undefined ? undefined : Buffer.from(known, 'base64')
}

// ── the app's mapping ───────────────────────────────────────────────────────────────────────────────

export function keepMapping(given: readonly MappedPath[]): Steps<void> {
  return setMeta('mapping', JSON.stringify(given))
}

export function* mapping(): Steps<readonly MappedPath[]> {
  const kept = JSON.parse((yield* metaValue('mapping')) ?? '[]') as MappedPath[]
  return kept.toSorted((a, b) => (`${a.event} ${a.fact}` < `${b.event} ${b.fact}` ? -1 : 1))
}

// ── templates ───────────────────────────────────────────────────────────────────────────────────────

/** Stores the categories of templates. A template that is no longer listed keeps its category. */
export function* keepCategories(number: string, listed: TemplateCategories): Steps<void> {
  yield* setMeta(`templates:${number}`, JSON.stringify({ ...(yield* categories(number)), ...listed }))
}

/** Returns the category of each template that was ever listed for this number. */
export function* categories(number: string): Steps<TemplateCategories> {
  return JSON.parse((yield* metaValue(`templates:${number}`)) ?? '{}') as TemplateCategories
}

// ── acts of people ──────────────────────────────────────────────────────────────────────────────────

export interface NewAct {
  readonly at: number
  readonly who: string
  readonly act: string
  readonly what: string
  /** The number that the act concerns; undefined for several numbers, or all. */
  readonly number?: string | undefined
}

export interface ActRow extends NewAct {
  readonly seq: number
  /** How many rows the act changed; undefined until it has ended. */
  readonly count: number | undefined
}

export function* recordAct({ at, who, act, what, number }: NewAct): Steps<number> {
  const last = yield* one<{ seq: number }>(sql`SELECT seq FROM ${acts} ORDER BY seq DESC LIMIT 1`)
  const seq = (last?.seq ?? 0) + 1
  yield* execute(insert(acts, { seq, at, who, act, what, number, count: null }))
  return seq
}

/** Records the end of an act. `what`: the new text, if the act continues. */
export function* endAct(seq: number, count: number, what?: string): Steps<void> {
  yield* execute(sql`UPDATE ${acts} SET count = ${count}, what = coalesce(${what}, what) WHERE seq = ${seq}`)
}

export function* listActs({
  limit,
  after,
  numbers,
}: {
  readonly limit: number
  readonly after?: number | undefined
  readonly numbers?: readonly string[] | undefined
}) {
  const found = yield* allAs<ActRow>(sql`
    SELECT * FROM ${acts} WHERE true ${when(after !== undefined, () => sql`AND seq < ${after}`)}
      ${numbers ? sql`AND number ${inTexts(numbers)}` : NOTHING}
    ORDER BY seq DESC LIMIT ${limit}`)
  return { acts: found, next: nextOfPage(found, limit)?.seq }
}

export interface Forgotten {
  readonly items: number
  readonly sends: number
  /** The newest item that was stored after the customer was forgotten. */
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

/**
 * Lists customers who were forgotten and whose rows are not all erased. `waits`: the rows that are left have not ended.
 */
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

/** Returns true if a delivery arrived before its customer was forgotten. Its item is erased with the customer's others. */
export function* noteReadLater(who: CustomerOfNumber, delivery: number, item: number): Steps<boolean> {
  const forgotten = yield* forgottenUpto(who)
  if (forgotten.items < delivery) return false
  if ((forgotten.last ?? forgotten.items) < item)
    yield* setMeta(nameOf(who), JSON.stringify({ ...forgotten, last: item }))
  return true
}

export function* setMeta(name: string, value: string): Steps<void> {
  yield* execute(metaSet(name, value))
}

export function metaSet(name: string, value: string): Query {
  return sql`
    INSERT INTO ${meta} (name, value) VALUES (${name}, ${value})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`
}

/** Raises a stored number. A lower value changes nothing. */
export function raised(name: string, value: number): Query {
  return sql`
    INSERT INTO ${meta} (name, value) VALUES (${name}, ${String(value)}) ON CONFLICT (name)
    DO UPDATE SET value = excluded.value WHERE ${asWhole(sql`meta.value`)} < ${asWhole(sql`excluded.value`)}`
}

export function* metaValue(name: string): Steps<string | undefined> {
  return (yield* one<{ value: string }>(sql`SELECT value FROM ${meta} WHERE name = ${name}`))?.value
}
