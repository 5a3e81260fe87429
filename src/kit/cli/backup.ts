import type { Command } from 'commander'
import { optionsInvalid } from '../../base/errors.ts'
import { isPostgres } from '../../store/postgres/address.ts'
import { backUp } from '../../store/sqlite/backup.ts'
import { example } from './support/arguments.ts'
import { DATABASE_OPTION, type DatabaseFlags, databaseOf } from './support/open-database.ts'
import { type Io, pathOf } from './support/io.ts'
import { printResult } from './support/output.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .description("back up the app's database into a new file; the app may be running")
    .argument('<file>', 'the new file; it must not exist yet')
    .option(...DATABASE_OPTION)
    .option('--json', 'one line of JSON on stdout: {"out":…,"rows":…,"bytes":…}')
    .addHelpText('after', example('switchhook backup /backups/bot-2026-03-04.db'))
    .action((file, flags) => backup(io, file, flags))
}

async function backup(io: Io, file: string, flags: DatabaseFlags): Promise<void> {
  const database = databaseOf(io, flags)
  if (isPostgres(database))
    throw optionsInvalid(
      "PostgreSQL has its own backup tools, such as pg_dump; after a restore the bot's first start needs SWITCHHOOK_RESTORED=1",
    )
  const { rows, bytes } = await backUp(database, pathOf(io, file))
  const size = `${Math.ceil(bytes / 1024)} kB`
  printResult(
    io,
    flags,
    { out: file, rows, bytes },
    `${rows} rows are in ${file} (${size}), and verified. Its open sends start as held.`,
  )
}
