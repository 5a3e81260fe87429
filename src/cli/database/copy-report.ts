import type { CopySource } from '../../stores/port/copy.ts'
import { shownDatabase } from '../../stores/postgres/address.ts'
import type { Io } from '../support/io.ts'
import { table } from '../support/output.ts'

export interface CopyFlags {
  readonly from: string
  readonly to: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

const MB = 1_000_000

export function printPlan(io: Io, { tables, bytes }: CopySource, flags: CopyFlags): void {
  if (flags.json) return io.out(JSON.stringify({ dryRun: true, bytes, tables: byName(tables) }))
  const shown = tables.filter(({ rows }) => rows > 0)
  const lines = shown.map(({ name, rows, withNul, tooLong }) => [
    name,
    String(rows),
    [
      ...(withNul > 0 ? [`${withNul} with U+0000, which becomes U+FFFD`] : []),
      ...(tooLong > 0 ? [`${tooLong} too long for an index: these stop the copy`] : []),
    ].join('; '),
  ])
  for (const line of table([['TABLE', 'ROWS', ''], ...lines])) io.out(line)
  io.err(
    `${rowsOf(tables)} rows would be copied. The file has ${Math.ceil(bytes / MB)} MB; allow twice that on the server.`,
  )
}

export function printDone(
  io: Io,
  { source, rows, differing }: { source: CopySource; rows: number; differing: readonly string[] },
  flags: CopyFlags,
): void {
  if (flags.json)
    return io.out(
      JSON.stringify({ copied: rows, same: differing.length === 0, differing, tables: byName(source.tables) }),
    )
  if (differing.length > 0)
    return io.err('The copy is not to be used: remove it (DROP SCHEMA switchhook CASCADE), and copy again.')
  io.err(`Start the app with SWITCHHOOK_DATABASE=${shownDatabase(flags.to)}, with the user that it has there.`)
  io.err(`${flags.from} stays as it is, to go back to; from now on it starts with its sends held.`)
}

function byName(tables: CopySource['tables']) {
  return Object.fromEntries(tables.map(({ name, rows, withNul, tooLong }) => [name, { rows, withNul, tooLong }]))
}

export function rowsOf(tables: CopySource['tables']): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0)
}
