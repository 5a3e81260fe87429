import type { Command } from 'commander'
import { optionsInvalid } from '../../base/errors.ts'
import { InUse } from '../../store/types/types.ts'
import { isPostgres, shownDatabase } from '../../store/postgres/address.ts'
import { copyInto } from '../../store/postgres/copy-target.ts'
import { openCopySource } from '../../store/sqlite/copy-source.ts'
import { example } from './support/arguments.ts'
import { RefusedForSafety } from './support/exit.ts'
import { environment, type Io, pathOf } from './support/io.ts'
import { printResult } from './support/output.ts'

interface CopyFlags {
  readonly from: string
  readonly to: string
  readonly json?: boolean
}

async function copy(io: Io, flags: CopyFlags): Promise<void> {
  const { from, to } = flags
  if (!isPostgres(to)) throw optionsInvalid('--to: expected an address, postgres://…')
  if (isPostgres(from)) throw optionsInvalid('--from: expected an SQLite file')
  try {
    const source = openCopySource(pathOf(io, from))
    try {
      const copying = (table: string) => io.err(`Copying ${table}.`)
      const schemaOwner = environment(io, 'SWITCHHOOK_SCHEMA_OWNER')
      const tables = await copyInto(to, source.tables, { copying, beforeCommit: source.retire, schemaOwner })
      const copied = Object.values(tables).reduce((sum, rows) => sum + rows, 0)
      printResult(
        io,
        flags,
        { copied, tables },
        `Copied ${copied} rows.`,
        `Start the app with SWITCHHOOK_DATABASE=${shownDatabase(to)}, with the app's own database user.`,
        `${from} is unchanged, so you can go back to it. An app that opens it again starts with its sends held.`,
      )
    } finally {
      source.close()
    }
  } catch (error) {
    throw error instanceof InUse ? new RefusedForSafety(error.message) : error
  }
}

export function addCommand(database: Command, io: Io): void {
  database
    .description("move the app's database; the app must be stopped")
    .addHelpText('after', example('switchhook database copy --to postgres://bot@db.example/bot'))
  database
    .command('copy')
    .description('copy an SQLite file into PostgreSQL, in one transaction')
    .option('--from <file>', "the stopped app's file", './switchhook.db')
    .requiredOption('--to <address>', 'postgres://…, a database that no bot has used yet')
    .option('--json', 'one line of JSON on stdout: {"copied":…,"tables":{…}}')
    .addHelpText('after', example('switchhook database copy --from ./switchhook.db --to postgres://bot@db.example/bot'))
    .action((flags) => copy(io, flags))
}
