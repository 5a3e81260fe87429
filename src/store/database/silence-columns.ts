import { atMostOne } from '../../base/value.ts'
import * as builtIn from '../../built-in/silencers.ts'
import type { Silence, Silencer } from './silence.ts'
import { type Query, raw } from './sql.ts'

type BuiltIn = (typeof builtIn)[keyof typeof builtIn]
type ColumnsOf<One> = One extends { readonly columns: infer Columns } ? Columns : never
type ReadBy<One> = One extends { readonly read: readonly (infer Name)[] } ? Name : never
type SilenceOf<One> = One extends { silenceIn(row: never): infer Found } ? NonNullable<Found> : never
type Or<Found, Without> = [Found] extends [never] ? Without : Found

/** The columns of customers that a feature adds. */
export type SilenceColumns = Or<ColumnsOf<BuiltIn>, object>

/** Who else answers the customer, as a feature says it. */
export type CustomersSilence = Or<SilenceOf<BuiltIn>, Silence>

/** At most one, because a row has one silence. */
export const SILENCER = atMostOne<Silencer>(builtIn)

export const SILENCE_COLUMNS = (SILENCER?.read ?? []) as readonly ReadBy<BuiltIn>[]

export function silenceIn(row: object | null | undefined): CustomersSilence | undefined {
  return row ? (SILENCER?.silenceIn(row as never) as CustomersSilence | undefined) : undefined
}

/** Names these columns of customers, and those that `silenceIn` needs. */
export function withSilence(alias: string, ...names: readonly string[]): Query {
  return raw([...names, ...SILENCE_COLUMNS].map((name) => `${alias}.${name}`).join(', '))
}

export const SILENT_UNTIL = raw(SILENCER?.until ?? '0')
