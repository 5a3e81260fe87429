import type { Value } from '../../operations/steps.ts'
import { asText } from '../session.ts'

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

export function listsOf<C extends Columns>(columns: C, rows: readonly RowOf<C>[]): Buffer[] {
  return Object.entries(columns).map(([name, type]) =>
    binaryList(
      type,
      rows.map((row) => row[name] as Value | boolean | undefined),
    ),
  )
}

export type ColumnType = 'text' | 'bigint' | 'bytea' | 'boolean'

const OIDS: Readonly<Record<ColumnType, number>> = { text: 25, bigint: 20, bytea: 17, boolean: 16 }

/** The number of dimensions, a flag for NULL, the type, then the length of the one dimension and its first index. */
const HEADER_BYTES = 20
/** In front of each value: its length in bytes, which is -1 for NULL. */
const LENGTH_BYTES = 4

/**
 * A list in PostgreSQL's own form. As a text, which the driver would make of it, the server reads it byte by byte, and a body
 * of bytes is twice as long: that costs as much as one of the indexes that a row enters.
 */
function binaryList(type: ColumnType, values: readonly (Value | boolean | undefined)[]): Buffer {
  const parts = values.map((value) => (value === null || value === undefined ? undefined : bytesOf(type, value)))
  const length = parts.reduce((sum, part) => sum + LENGTH_BYTES + (part?.length ?? 0), HEADER_BYTES)
  const list = Buffer.allocUnsafe(length)
  let at = 0
  for (const number of [1, parts.includes(undefined) ? 1 : 0, OIDS[type], parts.length, 1])
    at = list.writeInt32BE(number, at)
  for (const part of parts) {
    at = list.writeInt32BE(part?.length ?? -1, at)
    if (part === undefined) continue
    list.set(part, at)
    at += part.length
  }
  return list
}

function bytesOf(type: ColumnType, value: Value | boolean): Uint8Array {
  switch (type) {
    case 'text':
      return Buffer.from(asText(String(value)))
    case 'bigint': {
      const bytes = Buffer.allocUnsafe(8)
      bytes.writeBigInt64BE(BigInt(value as number))
      return bytes
    }
    case 'bytea':
      return value as Uint8Array
    case 'boolean':
      return Uint8Array.of(value === true ? 1 : 0)
  }
}
