import { randomBytes } from 'node:crypto'
import { asWhole, inTexts, NOTHING, type Query, sql, when } from './sql.ts'
import { allAs, nextOfPage, one, execute, type Steps } from './steps.ts'
import { insert } from './statements.ts'
import { integer, optional, table, text } from './table.ts'

/**
 * Acts of people in the admin page and the desk. number: the number that an act concerns; null for several or all.
 * count: how many rows it changed, or messages it read; null until it has ended.
 */
export const acts = table(
  'acts',
  { id: 'seq' },
  {
    seq: integer,
    at: integer,
    who: text,
    act: text,
    what: text,
    number: optional(text),
    count: optional(integer),
  },
)

/**
 * Small values by name. generation: a number that shows a restored backup, see sqlite/generation.ts. restored_upto:
 * inbox rows up to this id were in the restored backup; resumed:NUMBER: the held sends of that number were released.
 * last_id, last_send: the last ids that were given, although their rows may be gone. schema_digest: of the statements
 * that made the tables. same_customer: a digest of the rule for spellings of a number; absent without a rule.
 * secret:NAME: base64. mapping, forgotten:NUMBER/CUSTOMER, templates:NUMBER (the category of each template that was
 * ever listed): JSON.
 */
export const meta = table(
  'meta',
  { columns: ['name'] },
  {
    name: text,
    value: text,
  },
)

/** The category of each template, by `name/language`. */
export type TemplateCategories = Readonly<Record<string, string>>

/** `path` is `()` if the app reads the fact with a function. */
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
  readonly count: number | undefined
}

export function* recordAct({ at, who, act, what, number }: NewAct): Steps<number> {
  const last = yield* one<{ seq: number }>(sql`SELECT seq FROM ${acts} ORDER BY seq DESC LIMIT 1`)
  const seq = (last?.seq ?? 0) + 1
  yield* execute(insert(acts, { seq, at, who, act, what, number, count: null }))
  return seq
}

/** Stores the count of an act. `what`: a new text of the act; undefined keeps the old one. */
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
