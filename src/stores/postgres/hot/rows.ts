import type { Value } from '../../operations/steps.ts'
import { binaryList, type ColumnType } from './lists.ts'

/** Names of columns with their types. */
export type Columns<Row> = { readonly [Name in keyof Row]: ColumnType }

/**
 * The rows of a group as a part of a statement: each column is a list, from the placeholder `first` on. `n` counts the
 * rows from 1. Texts are ordered by their bytes, as they are in tables: statements that lock by another order would wait
 * for each other.
 */
export function rowsOf<Row>(columns: Columns<Row>, first: number): string {
  const lists = Object.values(columns).map((type, index) => `$${first + index}::${TYPES[type as keyof typeof TYPES]}`)
  return `unnest(${lists.join(', ')}) WITH ORDINALITY AS g(${Object.keys(columns).join(', ')}, n)`
}

const TYPES = { text: 'text[] COLLATE "C"', bigint: 'bigint[]', bytea: 'bytea[]', boolean: 'boolean[]' } as const

/** The lists for `rowsOf`. */
export function listsOf<Row extends Readonly<Record<keyof Row, Value | boolean | undefined>>>(
  columns: Columns<Row>,
  rows: readonly Row[],
): Buffer[] {
  return (Object.keys(columns) as (keyof Row)[]).map((name) =>
    binaryList(
      columns[name],
      rows.map((row) => row[name]),
    ),
  )
}
