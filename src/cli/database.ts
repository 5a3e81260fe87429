import type { Command } from 'commander'
import { optionsInvalid, SwitchhookError } from '../base/errors.ts'
import { type CopiedRow, type CopiedTable, type CopySource, type CopyTarget, InUse } from '../stores/port/copy.ts'
import { isPostgres, shownDatabase } from '../stores/postgres/address.ts'
import { openCopyTarget } from '../stores/postgres/copy-target.ts'
import { openCopySource } from '../stores/sqlite/copy-source.ts'
import { example } from './support/arguments.ts'
import { EXIT, RefusedForSafety } from './support/exit.ts'
import { type Io, isInteractive } from './support/io.ts'
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
    io.err('The database has a part of another copy, or of the file as it was: it begins anew.')
  if (target.found === 'begun') io.err('The database has a part of this copy already: it goes on.')
  await target.begin()
  const rows = rowsOf(source.tables)
  const copying = await startProgress(io, 'Copying', rows)
  for (const table of source.tables)
    for (const portion of portions(source, table, copying.skip(await target.count(table)))) {
      await target.write(table, portion)
      copying.advance(portion.length)
    }
  copying.end(`${rows} rows are copied`)
  const comparing = await startProgress(io, 'Comparing', rows)
  const differing: string[] = []
  for (const table of source.tables) {
    let same = 0
    for (const portion of portions(source, table, 0)) {
      same += await target.same(table, portion)
      comparing.advance(portion.length)
    }
    if (same !== table.rows || (await target.count(table)) !== table.rows) differing.push(table.name)
  }
  comparing.end(differing.length === 0 ? 'all of them are the same' : `not the same: ${differing.join(', ')}`)
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
      `a bot has worked in ${shownDatabase(to)}: copy into a database of its own, or remove that bot's tables first (DROP SCHEMA switchhook CASCADE)`,
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
    .description('copy an SQLite file into PostgreSQL and compare all rows; called again it goes on')
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

const MB = 1_000_000

async function printPlan(io: Io, { tables, bytes }: CopySource, flags: CopyFlags): Promise<void> {
  const rows = tables.map(({ name, rows, withNul, tooLong }) => ({ table: name, rows, withNul, tooLong }))
  await printList(io, flags, rows, ['table', 'rows', 'withNul', 'tooLong'])
  if (flags.json) return
  const size = `The file has ${Math.ceil(bytes / MB)} MB; allow twice that on the server.`
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
  const sentences = same
    ? [
        `Start the app with SWITCHHOOK_DATABASE=${shownDatabase(flags.to)}, with the user that it has there.`,
        `${flags.from} stays as it is, to go back to; from now on it starts with its sends held.`,
      ]
    : ['The copy is not to be used: remove it (DROP SCHEMA switchhook CASCADE), and copy again.']
  printResult(io, flags, { copied: rows, same, differing, tables: byName(source.tables) }, ...sentences)
}

function byName(tables: CopySource['tables']) {
  return Object.fromEntries(tables.map(({ name, rows, withNul, tooLong }) => [name, { rows, withNul, tooLong }]))
}

export function rowsOf(tables: CopySource['tables']): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0)
}

/** How far a work has come, shown at a terminal. */
export interface Progress {
  /** So many are done already; the answer is their number. */
  skip(count: number): number
  advance(count: number): void
  end(message: string): void
}

/** Shows a bar to a person at a terminal; elsewhere a line tells the end, and nothing else is written. */
export async function startProgress(io: Io, what: string, max: number): Promise<Progress> {
  if (!isInteractive(io))
    return { skip: (count) => count, advance() {}, end: (message) => io.err(`${what}: ${message}.`) }
  const { progress } = await import('@clack/prompts')
  const bar = progress({ max: Math.max(1, max), output: io.stderr })
  // On Ctrl-C the bar ends the process as if all were done.
  process.once('exit', interrupted)
  bar.start(what)
  return {
    skip(count) {
      bar.advance(count)
      return count
    },
    advance: (count) => bar.advance(count),
    end(message) {
      process.off('exit', interrupted)
      bar.stop(`${what}: ${message}`)
    },
  }
}

function interrupted(): void {
  process.exitCode = EXIT.interrupted
}
