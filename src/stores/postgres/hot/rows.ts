import type { Value } from '../../operations/steps.ts'
import { binaryList, type ColumnType } from './lists.ts'

/** Names of columns with their types. */
export type Columns = Readonly<Record<string, ColumnType>>

interface Values {
  readonly text: string
  readonly bigint: number
  readonly bytea: Uint8Array
  readonly boolean: boolean
}

type ValueOf<T> = { [Type in ColumnType]: T extends Type ? Values[Type] : never }[ColumnType]

type Nullable = { readonly nullable: true }

/** The type of a column that may be NULL: for that, its value is null or undefined. */
export const nullable = <T extends ColumnType>(type: T) => type as T & Nullable

/** A row of such columns. */
export type RowOf<C extends Columns> = {
  readonly [Name in keyof C]: ValueOf<C[Name]> | (C[Name] extends Nullable ? null | undefined : never)
}

/**
 * The rows of a group as a part of a statement: each column is a list, from the first placeholder on. `n` counts the rows
 * from 1. Texts are ordered by their bytes, as they are in tables: statements that lock by another order would wait for each
 * other.
 */
export function rowsOf(columns: Columns): string {
  const lists = Object.values(columns).map((type, index) => `$${1 + index}::${TYPES[type]}`)
  return `unnest(${lists.join(', ')}) WITH ORDINALITY AS g(${Object.keys(columns).join(', ')}, n)`
}

const TYPES = { text: 'text[] COLLATE "C"', bigint: 'bigint[]', bytea: 'bytea[]', boolean: 'boolean[]' } as const

/** The lists for `rowsOf`. */
export function listsOf<C extends Columns>(columns: C, rows: readonly RowOf<C>[]): Buffer[] {
  return Object.entries(columns).map(([name, type]) =>
    binaryList(
      type,
      rows.map((row) => row[name] as Value | boolean | undefined),
    ),
  )
}
