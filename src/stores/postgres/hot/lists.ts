import type { Value } from '../../operations/steps.ts'
import { asText } from '../session.ts'

/** A type of a column of a group, by PostgreSQL's name. */
export type ColumnType = 'text' | 'bigint' | 'bytea' | 'boolean'

/** Their numbers in PostgreSQL's catalog. */
const OIDS: Readonly<Record<ColumnType, number>> = { text: 25, bigint: 20, bytea: 17, boolean: 16 }

/** The number of dimensions, a flag for NULL, the type, then the length of the one dimension and its first index. */
const HEADER_BYTES = 20
/** In front of each value: its length in bytes, which is -1 for NULL. */
const LENGTH_BYTES = 4

/**
 * A list in PostgreSQL's own form. As a text, which the driver would make of it, the server reads it byte by byte, and a body
 * of bytes is twice as long: that costs as much as one of the indexes that a row enters.
 */
export function binaryList(type: ColumnType, values: readonly (Value | boolean | undefined)[]): Buffer {
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
