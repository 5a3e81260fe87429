import { atMostOne } from '../../base/value.ts'
import * as builtIn from '../../built-in/silencers.ts'
import type { Silence, Silencer } from './silence.ts'
import { type Query, raw } from './sql.ts'
import { type Indexes, integer, optional, type RowOf, table, text } from './table.ts'

/** The feature that makes the bot silent. At most one, because a row has one silence. */
export const SILENCER = atMostOne<Silencer>(builtIn)

/**
 * Customers of a number. last_at: service time of their last message; handled_at: of the latest handled message;
 * sent_at: of the last accepted send. moved_at: wall time of the last change of last_at. wrote_as: the spelling of the
 * number in their last message, if the bot has a rule for spellings. counted: how many of their messages arrived since
 * counted_since (service time), for the option perCustomer. conversation: the id of the open conversation. session: the
 * app's own state as JSON.
 */
export const customers = table(
  'customers',
  { columns: ['number', 'customer'] },
  {
    number: text,
    customer: text,
    last_at: optional(integer),
    wrote_as: optional(text),
    moved_at: optional(integer),
    handled_at: optional(integer),
    sent_at: optional(integer),
    counted_since: optional(integer),
    counted: optional(integer),
    conversation: optional(text),
    session: optional(text),
    session_version: optional(integer),
    session_expires_at: optional(integer),
    ...(SILENCER?.columns as SilenceColumns),
  },
  SILENCER?.indexes as Indexes<SilenceColumns>,
)

/**
 * Timers that are not due yet. A timer that is due becomes an item of its kind. says: JSON with the time that was
 * requested; due_at is later if a silence ends later. Times are service time. item: the item whose handler set the
 * timer.
 */
export const timers = table(
  'timers',
  { columns: ['number', 'customer', 'kind', 'name'] },
  {
    number: text,
    customer: text,
    kind: text,
    name: text,
    due_at: integer,
    item: integer,
    says: text,
  },
  {
    due: { on: ['due_at'] },
  },
)

/**
 * Customers who refused marketing on a number (state out), or agreed again (in). customer: digits, or a keyed hash
 * after the customer was forgotten. at: service time of that message. how: in which way the customer said it. Rows are
 * never pruned.
 */
export const opt_outs = table(
  'opt_outs',
  { columns: ['customer', 'number'] },
  {
    customer: text,
    number: text,
    state: text,
    at: integer,
    how: text,
  },
)

export interface CustomerOfNumber {
  readonly number: string
  readonly customer: string
}

const SILENCE_COLUMNS = (SILENCER?.read ?? []) as readonly ReadBy<BuiltIn>[]

export const CUSTOMER_COLUMNS = [
  'last_at',
  'handled_at',
  'sent_at',
  'conversation',
  'counted_since',
  'counted',
  ...SILENCE_COLUMNS,
] as const

export type CustomerRow = Pick<RowOf<typeof customers>, (typeof CUSTOMER_COLUMNS)[number]>

// ── the silence, which a feature adds ───────────────────────────────────────────────────────────────────

type BuiltIn = (typeof builtIn)[keyof typeof builtIn]
type ColumnsOf<One> = One extends { readonly columns: infer Columns } ? Columns : never
type ReadBy<One> = One extends { readonly read: readonly (infer Name)[] } ? Name : never
type SilenceOf<One> = One extends { silenceIn(row: never): infer Found } ? NonNullable<Found> : never
type Or<Found, Without> = [Found] extends [never] ? Without : Found

/** The columns that the feature of silences adds to the table `customers`. */
export type SilenceColumns = Or<ColumnsOf<BuiltIn>, object>

/** The silence with the members that the feature adds; without such a feature, the plain `Silence`. */
export type CustomersSilence = Or<SilenceOf<BuiltIn>, Silence>

export function silenceIn(row: object | null | undefined): CustomersSilence | undefined {
  return row ? (SILENCER?.silenceIn(row as never) as CustomersSilence | undefined) : undefined
}

/** Lists columns of customers for a SELECT: these names, and the columns that `silenceIn` needs. */
export function withSilence(alias: string, ...names: readonly string[]): Query {
  return raw([...names, ...SILENCE_COLUMNS].map((name) => `${alias}.${name}`).join(', '))
}

export const SILENT_UNTIL = raw(SILENCER?.until ?? '0')
