import type { Command } from 'commander'
import { example } from '../support/arguments.ts'
import type { Io } from '../support/io.ts'
import { copy } from './copy.ts'

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
    .option('--json', 'one line of JSON on stdout: {"copied":…,"same":…,"tables":{…}}')
    .addHelpText('after', example('switchhook database copy --from ./switchhook.db --to postgres://bot@db.example/bot'))
    .action((flags) => copy(io, flags))
}
