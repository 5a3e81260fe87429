import type { Command } from 'commander'
import { optionsInvalid, SwitchhookError } from '../base/errors.ts'
import { type CopiedRow, type CopiedTable, type CopySource, type CopyTarget, InUse } from '../stores/port/reader.ts'
import { isPostgres, shownDatabase } from '../stores/postgres/address.ts'
import { openCopyTarget } from '../stores/postgres/copy-target.ts'
import { openCopySource } from '../stores/sqlite/copy-source.ts'
import { example } from './support/arguments.ts'
import { EXIT, RefusedForSafety } from './support/exit.ts'
import type { Io } from './support/io.ts'
import { printList, printResult } from './support/output.ts'

/** Copies an SQLite file into PostgreSQL, table by table, and compares all rows with their copies. */
export async function copy(io: Io, flags: CopyFlags): Promise<void> {
  const { from, to, dryRun = false } = flags
  if (!isPostgres(to)) throw optionsInvalid('--to: expected an address, postgres://…')
  if (isPostgres(from)) throw optionsInvalid('--from: expected an SQLite file')
  const source = open(from, dryRun)
  try {
    const target = await openCopyTarget(to, source)
    try {
      refuseUnfit(target, to)
      if (dryRun) return await printPlan(io, source, flags)
      refuseTooLong(source)
      await copyAll(io, source, target, flags)
    } finally {
      await target.close()
    }
  } finally {
    source.close()
  }
}

/** @throws RefusedForSafety if a bot may be working on the file. */
function open(from: string, dryRun: boolean): CopySource {
  try {
    return openCopySource(from, { onlyLook: dryRun })
  } catch (error) {
    throw error instanceof InUse ? new RefusedForSafety(error.message) : error
  }
}

async function copyAll(io: Io, source: CopySource, target: CopyTarget, flags: CopyFlags): Promise<void> {
  if (target.found === 'other')
    io.err('The database has a part of another copy, or of an older file: that part is removed.')
  if (target.found === 'begun') io.err('The database has a part of this copy already: the rest is copied.')
  await target.begin()
  const rows = rowsOf(source.tables)
  for (const table of source.tables) {
    if (table.rows > 0) io.err(`Copying ${table.name}: ${table.rows} rows.`)
    for (const portion of portions(source, table, await target.count(table))) await target.write(table, portion)
  }
  io.err(`Copied ${rows} rows. Comparing them.`)
  const differing: string[] = []
  for (const table of source.tables) {
    let same = 0
    for (const portion of portions(source, table, 0)) same += await target.same(table, portion)
    if (same !== table.rows || (await target.count(table)) !== table.rows) differing.push(table.name)
  }
  if (differing.length > 0) io.exitCode = EXIT.failed
  else {
    await target.end()
    source.retire()
  }
  printDone(io, { source, rows, differing }, flags)
}

function* portions(source: CopySource, table: CopiedTable, done: number): Generator<readonly CopiedRow[]> {
  let rows = source.rows(table, undefined, done)
  while (rows.length > 0) {
    yield rows
    rows = source.rows(table, rows.at(-1))
  }
}

/** @throws RefusedForSafety if the target is a working bot's. */
function refuseUnfit({ bots, found }: CopyTarget, to: string): void {
  if (found === 'used')
    throw new RefusedForSafety(
      `a bot has worked in ${shownDatabase(to)}: copy into another database, or remove that bot's tables first (DROP SCHEMA switchhook CASCADE)`,
    )
  if (bots > 0)
    throw new RefusedForSafety(
      `${bots === 1 ? 'a bot works' : `${bots} bots work`} on ${shownDatabase(to)}: stop that first`,
    )
}

/** @throws SwitchhookError `store_unavailable`, before anything is copied. */
function refuseTooLong({ tables }: CopySource): void {
  const long = tables.filter(({ tooLong }) => tooLong > 0).map(({ name, tooLong }) => `${tooLong} of ${name}`)
  if (long.length === 0) return
  throw new SwitchhookError(
    'store_unavailable',
    `rows whose id or name is longer than 2,600 bytes fit into no index of PostgreSQL: ${long.join(', ')}; remove them first (inbox forget, inbox prune)`,
  )
}

export function addCommand(database: Command, io: Io): void {
  database
    .description("move the app's database; the app must be stopped")
    .addHelpText('after', example('switchhook database copy --to postgres://bot@db.example/bot --dry-run'))
  database
    .command('copy')
    .description('copy an SQLite file into PostgreSQL and compare all rows; a second call copies the rest')
    .option('--from <file>', "the stopped app's file", './switchhook.db')
    .requiredOption('--to <address>', 'postgres://…, a database in which no bot has worked yet')
    .option('--dry-run', 'count rows and name what would be refused; the app may be running')
    .option('--json', 'one line of JSON on stdout: {"copied":…,"same":…,"tables":{…}}; with --dry-run one a table')
    .addHelpText('after', example('switchhook database copy --from ./switchhook.db --to postgres://bot@db.example/bot'))
    .action((flags) => copy(io, flags))
}

export interface CopyFlags {
  readonly from: string
  readonly to: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

async function printPlan(io: Io, { tables, bytes }: CopySource, flags: CopyFlags): Promise<void> {
  const rows = tables.map(({ name, rows, withNul, tooLong }) => ({ table: name, rows, withNul, tooLong }))
  await printList(io, flags, rows, ['table', 'rows', 'withNul', 'tooLong'])
  if (flags.json) return
  const size = `The file has ${Math.ceil(bytes / 1_000_000)} MB; allow twice that on the server.`
  io.err(
    `${rowsOf(tables)} rows would be copied. ${size} U+0000 becomes U+FFFD; a row that is too long stops the copy.`,
  )
}

function printDone(
  io: Io,
  { source, rows, differing }: { source: CopySource; rows: number; differing: readonly string[] },
  flags: CopyFlags,
): void {
  const same = differing.length === 0
  const tables = Object.fromEntries(
    source.tables.map(({ name, rows: all, withNul, tooLong }) => [name, { rows: all, withNul, tooLong }]),
  )
  const sentences = same
    ? [
        'All rows are the same.',
        `Start the app with SWITCHHOOK_DATABASE=${shownDatabase(flags.to)}, with the user that it has there.`,
        `${flags.from} stays unchanged, so that you can go back; from now on it starts with its sends held.`,
      ]
    : [
        `Rows of ${differing.join(', ')} differ. Do not use the copy: remove it (DROP SCHEMA switchhook CASCADE), and copy again.`,
      ]
  printResult(io, flags, { copied: rows, same, differing, tables }, ...sentences)
}

function rowsOf(tables: CopySource['tables']): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0)
}
